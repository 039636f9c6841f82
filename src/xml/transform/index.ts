export { TransformError } from './error.ts';
export type { ResolveImport, StylesheetSource } from './modules.ts';
export { openStylesheet, type Stylesheet, type TransformLimits } from './stylesheet.ts';
