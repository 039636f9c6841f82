export { badgerfishToXml, xmlToBadgerfish } from './badgerfish.ts';
export { cloneJson, compareJsonNumbers, jsonEquals } from './compare.ts';
export { JsonError, JsonMappingError } from './error.ts';
export { xmlToJson, xmlToJsonText } from './from-xml.ts';
export { wrapperNames, type MappingOptions } from './mapping-options.ts';
export { parseJson, startOfValue, type JsonParseOptions } from './parse.ts';
export { stringifyJson } from './stringify.ts';
export { jsonToXml, jsonValueToXml } from './to-xml.ts';
export { JsonNumber, type JsonArray, type JsonObject, type JsonValue } from './value.ts';
