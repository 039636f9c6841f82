import { formatPosition, formatProblem, MillraceError, synapseCodes, type Problem } from '#errors';
import { SourceNode, type XmlElement } from '#xml';
import { createCompileContext, type CompileContext, type Library, type ParseContext } from '../context.ts';
import type { CompiledEndpoint, EndpointDefinition, ParseEndpoint } from '../endpoint.ts';
import { EndpointFault } from './endpoint-fault.ts';

/** Finds an endpoint in a world. */
export type EndpointFinder = (key: string, library: Library) => CompiledEndpoint | undefined;

/** Endpoints that were read from resources, for each world: made again when the resource changes. */
const known = new WeakMap<
  Library,
  Map<string, { readonly element: XmlElement; readonly endpoint: CompiledEndpoint }>
>();

/**
 * Makes a function that finds an endpoint by its key: an artifact, else a local entry or a registry resource that
 * holds one (runtime-core 5.1). It throws an `EndpointFault` 305100 for a resource that is no endpoint.
 */
export function createEndpointFinder(parse: ParseEndpoint, { services }: CompileContext): EndpointFinder {
  return (key, library) => {
    const artifact = library.endpoint(key);
    if (artifact || key === '') return artifact;
    const element = asFault(key, () => library.xmlResource(key));
    if (!element) return undefined;
    const resources = known.get(library) ?? new Map<string, { element: XmlElement; endpoint: CompiledEndpoint }>();
    known.set(library, resources);
    const before = resources.get(key);
    if (before?.element === element) return before.endpoint;
    const definition = asFault(key, () => parseDetached(element, { source: '', file: key }, parse));
    // Whoever refers to it shares its state, as with an artifact.
    const endpoint = definition.compile(createCompileContext(`endpoint:${key}`, library, services));
    resources.set(key, { element, endpoint });
    return endpoint;
  };
}

/**
 * Parses an `<endpoint>` that is not part of an artifact file.
 *
 * @throws MillraceError `MR_ENDPOINT_INVALID` that names all that is wrong with it
 */
export function parseDetached(
  element: XmlElement,
  { source, file }: { readonly source: string; readonly file: string },
  parse: ParseEndpoint,
): EndpointDefinition {
  const problems: Problem[] = [];
  const report = (problem: Problem): void => void problems.push(problem);
  const context: ParseContext = { report, refer: () => undefined, steps: () => [] };
  const node = new SourceNode({ file, source, root: element, children: [element] }, element, report);
  const definition = node.local === 'endpoint' ? parse(node, context) : undefined;
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (definition && errors.length === 0) return definition;
  const [first] = errors;
  const place = first?.position ? ` (${formatPosition(first.position)})` : '';
  const reason = first ? `${first.message}${place}` : `found <${element.local}>`;
  throw new MillraceError({
    code: 'MR_ENDPOINT_INVALID',
    message: `${file} holds no endpoint that can be used: ${reason}`,
    detail: errors.map((problem) => formatProblem(problem)).join('\n'),
  });
}

function asFault<T>(key: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    throw new EndpointFault({
      code: synapseCodes.endpointKeyNotFound,
      message: `Couldn't use the endpoint with the key : ${key}: ${error.message}`,
      detail: error.detail,
      cause: error,
    });
  }
}
