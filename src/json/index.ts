export { JsonNumber, type JsonArray, type JsonObject, type JsonValue } from './value.ts';
