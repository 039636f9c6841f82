export { SchemaError } from './error.ts';
export type { ResolveSchema, SchemaSource } from './modules.ts';
export { compileXmlSchema, type SchemaFinding, type XmlSchema } from './schema.ts';
