import type { Message } from '#message';
import type { CompiledResource } from './resource.ts';
import { selectByMapping } from './url-mapping.ts';

export type ResourceChoice =
  | { readonly resource: CompiledResource }
  /** Why no resource serves the request: status 404, 405 or 400. */
  | { readonly status: 404 | 405 | 400 };

/**
 * Chooses the resource for a request and sets the variables of its template (runtime-core 2.4): resources that accept
 * binding, method, protocol, content type and user agent are searched by URL mapping, then URI template, then the
 * default one. Only when none accepts the request do the ones that do not accept it decide between 404, 405 and 400.
 */
export function selectResource(
  resources: readonly CompiledResource[],
  message: Message,
  request: { method: string; scheme: 'http' | 'https'; subPath: string; hasBody: boolean; binding: string },
): ResourceChoice {
  const { method, subPath } = request;
  const acceptable = resources.filter((resource) => accepts(resource, message, request));
  if (acceptable.length > 0) {
    const resource = dispatch(optionsFirst(acceptable), message, subPath);
    return resource ? { resource } : { status: 404 };
  }
  const byPath = dispatch(resources, message, subPath);
  if (!byPath) return { status: 404 };
  return { status: acceptsMethod(byPath, method) ? 400 : 405 };
}

function accepts(
  { definition, userAgent }: CompiledResource,
  message: Message,
  request: { method: string; scheme: 'http' | 'https'; hasBody: boolean; binding: string },
): boolean {
  if (definition.bindsTo && !definition.bindsTo.includes(request.binding)) return false;
  if (definition.protocol !== undefined && definition.protocol !== request.scheme) return false;
  if (request.method !== 'OPTIONS' && definition.methods && !definition.methods.includes(request.method)) return false;
  if (definition.contentType !== undefined && request.hasBody) {
    if (message.header('Content-Type') !== definition.contentType) return false;
  }
  if (!userAgent) return true;
  const agent = message.header('User-Agent');
  return agent !== undefined && userAgent(agent);
}

function acceptsMethod({ definition }: CompiledResource, method: string): boolean {
  return method === 'OPTIONS' || !definition.methods || definition.methods.includes(method);
}

/** Resources that serve nothing but OPTIONS come first. */
function optionsFirst(resources: readonly CompiledResource[]): readonly CompiledResource[] {
  if (!resources.some(servesOptionsOnly)) return resources;
  return [...resources.filter(servesOptionsOnly), ...resources.filter((resource) => !servesOptionsOnly(resource))];
}

function servesOptionsOnly({ definition: { methods } }: CompiledResource): boolean {
  return methods?.length === 1 && methods[0] === 'OPTIONS';
}

function dispatch(
  resources: readonly CompiledResource[],
  message: Message,
  subPath: string,
): CompiledResource | undefined {
  const mapped = resources.some(({ mapping }) => mapping) ? selectByMapping(resources, pathOf(subPath)) : undefined;
  if (mapped) return mapped;
  for (const resource of resources) {
    const { template } = resource;
    if (!template) continue;
    const variables = template.match(subPath);
    if (!variables) continue;
    for (const [name, value] of variables) message.properties.set(`uri.var.${name}`, value);
    return resource;
  }
  return resources.find((resource) => resource.pattern === '');
}

function pathOf(target: string): string {
  const question = target.indexOf('?');
  return question < 0 ? target : target.slice(0, question);
}
