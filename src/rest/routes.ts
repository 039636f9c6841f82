import { TrieRouter } from 'hono/router/trie-router';
import { MillraceError } from '#errors';
import type { Operation } from './operation.ts';

/** The operations of one path by method. */
export type Methods = ReadonlyMap<string, Operation>;

export interface RouteMatch {
  readonly methods: Methods;
  /** Decoded path parameters. */
  readonly path: Readonly<Record<string, string>>;
}

/** Finds the operations of a request path, or undefined. */
export type Routes = (path: string) => RouteMatch | undefined;

/**
 * Compiles the paths of operations; a fixed segment wins over a parameter, and a parameter over `{name+}`.
 *
 * @throws MillraceError `MR_REST_DUPLICATE` when two operations share method and path or their id
 */
export function compileRoutes(basePath: string, operations: readonly Operation[]): Routes {
  const router = new TrieRouter<Methods>();
  const paths = new Map<string, Map<string, Operation>>();
  const ids = new Set<string>();
  for (const operation of operations) {
    const methods = paths.get(operation.path) ?? new Map<string, Operation>();
    if (methods.has(operation.method) || ids.has(operation.id)) {
      throw new MillraceError({
        code: 'MR_REST_DUPLICATE',
        message: `The operation ${operation.id} (${operation.method} ${operation.path}) is defined twice`,
      });
    }
    ids.add(operation.id);
    methods.set(operation.method, operation);
    paths.set(operation.path, methods);
  }
  const ordered = [...paths].sort(([left], [right]) => (rankOf(left) < rankOf(right) ? -1 : 1));
  for (const [path, methods] of ordered) router.add('ALL', basePath + routerPath(path), methods);
  return (path) => {
    const [match] = router.match('GET', path)[0];
    if (!match) return undefined;
    const parameters = Object.create(null) as Record<string, string>;
    for (const [name, value] of Object.entries(match[1] as Record<string, string>)) {
      parameters[name] = decodeSegment(value);
    }
    return { methods: match[0], path: parameters };
  };
}

/** `/users/{id}/files/{path+}` in the router's spelling. */
function routerPath(path: string): string {
  return path.replaceAll(/\{([A-Za-z]\w*)\+\}/g, ':$1{.+}').replaceAll(/\{([A-Za-z]\w*)\}/g, ':$1');
}

/** Sorts as text in the order in which paths are to be tried. */
function rankOf(path: string): string {
  return path
    .split('/')
    .map((segment) => (segment.endsWith('+}') ? '2' : segment.startsWith('{') ? '1' : '0'))
    .join('');
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new MillraceError({ code: 'MR_REST_PATH', status: 400, message: 'The path is badly encoded', cause });
  }
}
