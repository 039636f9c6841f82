export * from './catalog/index.ts';
export { type Key, type Section, type SectionKeys } from './catalog/define.ts';
export { type Bag } from './catalog/types.ts';
export { Config, type Reader } from './config.ts';
export { type Effective } from './effective.ts';
export { type Explanation, type Status } from './explain.ts';
export { loadConfig, usableConfig, type LoadedConfig, type LoadOptions } from './load.ts';
export { masked, maskUrls } from './mask.ts';
export { resolveRuntime, runtimeNames, type RuntimeValues } from './runtime-placeholders.ts';
