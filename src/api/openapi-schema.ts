import { parseJson, type JsonValue } from '#json';
import { compilePlainSchema, type JsonSchema } from '#json/schema';
import { findOperation, partOf, resolvePart, type Operation, type Part } from './openapi-paths.ts';

/** A request as it is compared with a definition. */
export interface CheckedRequest {
  readonly method: string;
  /** Below the context of the API, without its query. */
  readonly path: string;
  readonly query: string;
  header(name: string): string | undefined;
  readonly contentType: string | undefined;
  /** Undefined without a body. */
  json(): JsonValue | undefined;
  readonly hasBody: boolean;
}

/** A response as it is compared with a definition. */
export interface CheckedResponse extends Pick<CheckedRequest, 'method' | 'path' | 'contentType' | 'json'> {
  readonly status: number;
}

/** Compares requests and responses with an OpenAPI 3 document; both give what is wrong, nothing when all is well. */
export interface OpenApiSchema {
  request(request: CheckedRequest): readonly string[];
  response(response: CheckedResponse): readonly string[];
  /** OAuth2 scopes by `METHOD:path`. */
  readonly scopes: ReadonlyMap<string, readonly string[]>;
}

/** Findings of these keywords inform only (runtime-core 2.11). */
const lenientKeywords: ReadonlySet<string> = new Set(['required', 'additionalProperties']);
/** Members of a schema object that say nothing about validity, and whose content could look like a schema. */
const silentMembers: ReadonlySet<string> = new Set(['example', 'examples', 'xml', 'externalDocs', 'discriminator']);

/** Makes the checks of a parsed definition document. Schemas are compiled when they are first needed. */
export function createOpenApiSchema(document: Part): OpenApiSchema {
  const compiled = new Map<unknown, JsonSchema>();
  const schemaOf = (schema: unknown): JsonSchema => {
    let known = compiled.get(schema);
    if (!known) {
      known = compilePlainSchema(standalone(document, schema), 'the definition');
      compiled.set(schema, known);
    }
    return known;
  };
  const check = (schema: unknown, value: JsonValue): readonly string[] =>
    schemaOf(schema)
      .validate(value)
      .filter(({ keyword }) => !lenientKeywords.has(keyword))
      .map(({ message, path }) => (path === '' ? capitalized(message) : `[Path '${path}'] ${capitalized(message)}`));

  return {
    scopes: collectScopes(document),
    request(request) {
      const operation = findOperation(document, request.method, request.path);
      if (typeof operation === 'string') return [operation];
      return [...checkParameters(operation, request, check), ...checkBody(document, { operation, request, check })];
    },
    response(response) {
      const operation = findOperation(document, response.method, response.path);
      if (typeof operation === 'string') return [];
      const responses = partOf(operation.definition['responses']);
      const found = responses[String(response.status)] ?? responses[`${Math.floor(response.status / 100)}XX`];
      const chosen = found ?? responses['default'];
      if (chosen === undefined) {
        return [`Response status ${response.status} not defined for path '${operation.path}'.`];
      }
      const media = mediaFor(partOf(resolvePart(document, chosen)['content']), response.contentType);
      if (!media || !isJson(response.contentType) || media['schema'] === undefined) return [];
      const value = response.json();
      return value === undefined ? [] : check(media['schema'], value);
    },
  };
}

type Check = (schema: unknown, value: JsonValue) => readonly string[];

function checkParameters(operation: Operation, request: CheckedRequest, check: Check): readonly string[] {
  const query = new URLSearchParams(request.query);
  return operation.parameters.flatMap((parameter) => {
    const name = String(parameter['name']);
    const place = String(parameter['in']);
    if (!['path', 'query', 'header'].includes(place)) return [];
    const values = valuesOf({ name, place, query }, operation, request);
    if (values.length === 0) {
      const kind = place === 'query' ? 'Query' : place === 'header' ? 'Header' : 'Path';
      const text = `${kind} parameter '${name}' is required on path '${operation.path}' but not found in request.`;
      return parameter['required'] === true ? [text] : [];
    }
    const { schema } = parameter;
    return schema === undefined ? [] : check(schema, toJson(partOf(schema), values, parameter['explode'] !== false));
  });
}

function valuesOf(
  { name, place, query }: { name: string; place: string; query: URLSearchParams },
  operation: Operation,
  request: CheckedRequest,
): readonly string[] {
  if (place === 'query') return query.getAll(name);
  const value = place === 'header' ? request.header(name) : operation.values.get(name);
  return value === undefined ? [] : [place === 'path' ? decoded(value) : value];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A malformed escape is compared as it stands.
    return text;
  }
}

/** A parameter's text as the JSON value that its type asks for; text where it is none. */
function toJson(schema: Part, values: readonly string[], explode: boolean): JsonValue {
  const [first = ''] = values;
  switch (schema['type']) {
    case 'array': {
      const parts = explode && values.length > 1 ? values : first.split(',');
      return parts.map((part) => toJson(partOf(schema['items']), [part], true));
    }
    case 'integer':
    case 'number':
      return /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(first) ? parseJson(first) : first;
    case 'boolean':
      return first === 'true' ? true : first === 'false' ? false : first;
    default:
      return first;
  }
}

function checkBody(
  document: Part,
  { operation, request, check }: { operation: Operation; request: CheckedRequest; check: Check },
): readonly string[] {
  const definition = operation.definition['requestBody'];
  if (definition === undefined) return [];
  const body = resolvePart(document, definition);
  if (!request.hasBody) return body['required'] === true ? ['A request body is required but none found.'] : [];
  const content = partOf(body['content']);
  const media = mediaFor(content, request.contentType);
  if (!media) {
    const allowed = Object.keys(content).join(', ');
    return [
      `Request Content-Type header '[${request.contentType ?? ''}]' does not match any allowed types. ` +
        `Must be one of: [${allowed}].`,
    ];
  }
  const value = isJson(request.contentType) && media['schema'] !== undefined ? request.json() : undefined;
  return value === undefined ? [] : check(media['schema'], value);
}

/** The entry of a content type, exact before ranges. */
function mediaFor(content: Part, contentType: string | undefined): Part | undefined {
  const type = mediaType(contentType);
  const entries = Object.entries(content).map(([name, media]) => [mediaType(name), partOf(media)] as const);
  const range = `${type.split('/')[0] ?? ''}/*`;
  for (const wanted of [type, range, '*/*']) {
    const found = entries.find(([name]) => name === wanted);
    if (found) return found[1];
  }
  return undefined;
}

function mediaType(text: string | undefined): string {
  return (text ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function isJson(contentType: string | undefined): boolean {
  return /[/+]json$/.test(mediaType(contentType));
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** A schema of the document with the others that it may refer to, as a JSON Schema of its own. */
function standalone(document: Part, schema: unknown): unknown {
  const isNewer = String(document['openapi']).startsWith('3.1');
  const draft = isNewer ? { $schema: 'https://json-schema.org/draft/2020-12/schema' } : {};
  const named = partOf(partOf(document['components'])['schemas']);
  const definitions = Object.fromEntries(Object.entries(named).map(([name, each]) => [name, withOwnReferences(each)]));
  return { ...draft, definitions, allOf: [withOwnReferences(schema)] };
}

function withOwnReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withOwnReferences(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([name, member]: [string, unknown]): [string, unknown][] => {
    if (silentMembers.has(name) && !isProperty(member, name)) return [];
    if (name !== '$ref' || typeof member !== 'string') return [[name, withOwnReferences(member)]];
    return [[name, member.replace(/^#\/components\/schemas\//, '#/definitions/')]];
  });
  return Object.fromEntries(entries);
}

/** Whether a member that is named like a remark is a property's schema instead: then it is an object with a type. */
function isProperty(member: unknown, name: string): boolean {
  const part = partOf(member);
  return name !== 'xml' && ('type' in part || '$ref' in part);
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

function collectScopes(document: Part): ReadonlyMap<string, readonly string[]> {
  const scopes = new Map<string, readonly string[]>();
  for (const [path, item] of Object.entries(partOf(document['paths']))) {
    for (const method of methods) {
      const operation = partOf(item)[method];
      const security: unknown = partOf(operation)['security'] ?? document['security'];
      if (operation === undefined || !Array.isArray(security)) continue;
      const named = security.flatMap((each) => Object.values(partOf(each)).flat()).map(String);
      if (named.length > 0) scopes.set(`${method.toUpperCase()}:${path}`, [...new Set(named)]);
    }
  }
  return scopes;
}
