import type { World } from '#artifacts';
import type { ServerAddress } from '#entry';
import type { CompiledApi } from './artifact.ts';
import type { CompiledResource } from './resource.ts';

export type DefinitionFormat = 'json' | 'yaml';

/** A definition document ready to be sent. */
export interface DefinitionDocument {
  readonly contentType: string;
  readonly text: string;
}

/** The format that a query asks for: it starts with `swagger.json` or `swagger.yaml`. */
export function definitionFormatOf(query: string): DefinitionFormat | undefined {
  if (query.startsWith('swagger.json')) return 'json';
  return query.startsWith('swagger.yaml') ? 'yaml' : undefined;
}

/**
 * The definition of an API (runtime-core 2.11): the registry resource that `publishSwagger` names, as it is; else the
 * one that came with the application; else one generated from the resources.
 *
 * @throws MillraceError when the named resource cannot be read
 */
export async function findDefinition(
  api: CompiledApi,
  world: World,
  request: { format: DefinitionFormat; servers: readonly ServerAddress[] },
): Promise<DefinitionDocument> {
  const { publishSwagger, name } = api.definition;
  const { format } = request;
  if (publishSwagger !== undefined) {
    const text = world.library.resource(publishSwagger);
    if (text === undefined) throw new Error(`The definition ${publishSwagger} of the API ${name} cannot be read`);
    return { contentType: contentTypeOf(text.trimStart().startsWith('{') ? 'json' : 'yaml'), text };
  }
  const shipped = world.definitions.get(`${name}_swagger`);
  const document: unknown = shipped === undefined ? generateDefinition(api, request.servers) : await parseYaml(shipped);
  if (format === 'json') return { contentType: contentTypeOf('json'), text: JSON.stringify(document, undefined, 2) };
  const { stringify } = await import('yaml');
  return { contentType: contentTypeOf('yaml'), text: stringify(document) };
}

/** YAML is only needed by those who ask for a definition, so it is loaded then. */
async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await import('yaml');
  return parse(text);
}

function contentTypeOf(format: DefinitionFormat): string {
  return format === 'json' ? 'application/json' : 'application/yaml';
}

/** Methods whose requests carry a body in the generated document. */
const bodyMethods = new Set(['POST', 'PUT', 'PATCH']);

/** An OpenAPI 3 document made from the resources of an API. */
export function generateDefinition(api: CompiledApi, servers: readonly ServerAddress[]): Record<string, unknown> {
  const { definition, context } = api;
  const path = definition.versionType === 'url' ? `${context}/${definition.version ?? ''}` : context;
  const paths: Record<string, Record<string, unknown>> = {};
  for (const resource of api.resources) {
    const operations = operationsOf(resource);
    const key = pathOf(resource);
    paths[key] = { ...paths[key], ...operations };
  }
  return {
    openapi: '3.0.3',
    info: {
      title: definition.name,
      description: `API Definition of ${definition.name}`,
      version: definition.version ?? '1.0.0',
    },
    servers: servers.map(({ scheme, host, port }) => ({ url: `${scheme}://${host}:${port}${path}` })),
    paths,
  };
}

/** The path of a resource without its query part; the default resource is `/`. */
function pathOf({ pattern }: CompiledResource): string {
  const question = pattern.indexOf('?');
  const path = question < 0 ? pattern : pattern.slice(0, question);
  return path === '' ? '/' : path;
}

function operationsOf(resource: CompiledResource): Record<string, unknown> {
  const parameters = parametersOf(resource.pattern);
  return Object.fromEntries(
    (resource.definition.methods ?? []).map((method) => [
      method.toLowerCase(),
      {
        ...(parameters.length === 0 ? {} : { parameters }),
        ...(bodyMethods.has(method) ? { requestBody: optionalJsonBody } : {}),
        responses: { default: { description: 'Default response' } },
      },
    ]),
  );
}

const optionalJsonBody = {
  description: 'Sample Payload',
  required: false,
  content: { 'application/json': { schema: { type: 'object' } } },
};

/** `{x}` in the path gives path parameters, `name={x}` in the query part gives query parameters. */
function parametersOf(pattern: string): Record<string, unknown>[] {
  const question = pattern.indexOf('?');
  const path = question < 0 ? pattern : pattern.slice(0, question);
  const query = question < 0 ? '' : pattern.slice(question + 1);
  const parameter = (name: string, place: 'path' | 'query'): Record<string, unknown> => ({
    name,
    in: place,
    description: name,
    required: place === 'path',
    schema: { type: 'string' },
  });
  const inPath = [...path.matchAll(/\{[+#./]?([^}]+)\}/g)].flatMap((match) => (match[1] ?? '').split(','));
  const inQuery = query.split('&').flatMap((part) => (part.includes('=') ? [part.slice(0, part.indexOf('='))] : []));
  return [
    ...inPath.map((name) => parameter(name.replace(/:\d+$/, ''), 'path')),
    ...inQuery.map((name) => parameter(name, 'query')),
  ];
}
