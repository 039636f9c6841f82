import { MillraceError, messageOf } from '#errors';

/** What is done with a resource of the registry. */
export type RegistryOperation = 'GET' | 'PUT' | 'DELETE';

/** Every operation that the registry has; the original's others have nothing here that they could stand for. */
export const registryOperations: readonly RegistryOperation[] = ['GET', 'PUT', 'DELETE'];

/** One operation on one resource. */
export interface RegistryRequest {
  readonly operation: RegistryOperation;
  /** Absolute path, such as `/_system/governance/orders/rates.xml`. */
  readonly path: string;
  /** Media type without parameters. */
  readonly mediaType: string;
  /** What is written; undefined where a property is written, and for other operations. */
  readonly content?: Uint8Array | undefined;
  /** The property that is written or removed, where it is not the resource itself. */
  readonly property?: string | undefined;
}

/** Goes on to the next handler and in the end to the registry; `content` replaces what is written. */
type Next = (content?: Uint8Array) => Uint8Array | undefined;

/**
 * Stands around operations on resources (api-management 11.4). Each method decides whether it goes on with `next`, and
 * with what; an error that it throws refuses the operation. What `get` returns is what the reader gets.
 */
export interface RegistryHandler {
  get?(request: RegistryRequest, next: Next): Uint8Array | undefined;
  put?(request: RegistryRequest, next: Next): void;
  delete?(request: RegistryRequest, next: Next): void;
}

/** The method of a handler for each operation. */
export const registryMethods = { GET: 'get', PUT: 'put', DELETE: 'delete' } as const;

/** Says which requests a handler is called for. */
export interface RegistryFilter {
  matches(request: RegistryRequest): boolean;
}

/** A handler with what it is called for. */
export interface BoundRegistryHandler extends RegistryFilter {
  /** What problems call it: its class. */
  readonly name: string;
  readonly handler: RegistryHandler;
}

/** All handlers of a registry, in their order. */
export interface RegistryHandlers {
  /**
   * Runs an operation through the handlers that match it; `last` does it.
   *
   * @throws MillraceError `MR_REGISTRY_HANDLER` (400) when a handler refuses or fails
   */
  run(request: RegistryRequest, last: (request: RegistryRequest) => Uint8Array | undefined): Uint8Array | undefined;
}

export function createRegistryHandlers(handlers: readonly BoundRegistryHandler[]): RegistryHandlers {
  return {
    run(request, last) {
      const step = (from: number, current: RegistryRequest): Uint8Array | undefined => {
        const index = handlers.findIndex((bound, at) => at >= from && isCalled(bound, current));
        const bound = handlers[index];
        if (!bound) return last(current);
        const method = registryMethods[current.operation];
        const next: Next = (content = current.content) => step(index + 1, { ...current, content });
        try {
          return bound.handler[method]?.(current, next) ?? undefined;
        } catch (error) {
          throw error instanceof MillraceError ? error : refusedBy(bound, current, error);
        }
      };
      return handlers.length === 0 ? last(request) : step(0, request);
    },
  };
}

function isCalled(bound: BoundRegistryHandler, request: RegistryRequest): boolean {
  return bound.handler[registryMethods[request.operation]] !== undefined && bound.matches(request);
}

function refusedBy(
  { name }: BoundRegistryHandler,
  { operation, path }: RegistryRequest,
  cause: unknown,
): MillraceError {
  const message = `The registry handler ${name} refused ${operation} of ${path}: ${messageOf(cause)}`;
  return new MillraceError({ code: 'MR_REGISTRY_HANDLER', status: 400, message, cause });
}
