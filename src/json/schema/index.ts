export { coerceJson } from './coerce.ts';
export {
  compileJsonSchema,
  compilePlainSchema,
  JsonSchemaError,
  type JsonFinding,
  type JsonSchema,
  type JsonSchemaSource,
  type ResolveReference,
} from './schema.ts';
export { toPlain } from './plain.ts';
