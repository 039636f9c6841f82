/** Any part of a definition document. */
export type Part = Readonly<Record<string, unknown>>;

/** An operation of a definition that takes a request. */
export interface Operation {
  /** The path as the definition writes it. */
  readonly path: string;
  readonly definition: Part;
  /** Parameters of the path and the operation, references resolved. */
  readonly parameters: readonly Part[];
  /** Values of the parameters in the path, not decoded. */
  readonly values: ReadonlyMap<string, string>;
}

/** The parts of an object, an empty object for anything else. */
export function partOf(value: unknown): Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Part) : {};
}

/** Follows a local `$ref`, over several steps; what leads nowhere is empty. */
export function resolvePart(document: Part, value: unknown): Part {
  let part = partOf(value);
  for (let steps = 0; typeof part['$ref'] === 'string' && steps < 20; steps++) {
    part = partOf(atPointer(document, part['$ref']));
  }
  return part;
}

function atPointer(document: Part, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  const names = reference.slice(2).split('/');
  return names.reduce<unknown>(
    (part, name) => partOf(part)[name.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  );
}

/**
 * Finds the operation for a method and a path below the API's context, literal paths before templates; a text that
 * says what is missing when there is none.
 */
export function findOperation(document: Part, method: string, path: string): Operation | string {
  const paths = Object.entries(partOf(document['paths']));
  const ranked = paths.sort(([left], [right]) => left.split('{').length - right.split('{').length);
  let isKnown = false;
  for (const [template, value] of ranked) {
    const values = matchPath(template, path);
    if (!values) continue;
    isKnown = true;
    const item = resolvePart(document, value);
    const definition = item[method.toLowerCase()];
    if (definition === undefined) continue;
    const own = partOf(definition);
    return { path: template, definition: own, values, parameters: parametersOf(document, item, own) };
  }
  if (isKnown) return `${method} operation not allowed on path '${path}'.`;
  return `No API path found that matches request '${path}'.`;
}

/** Parameters of the operation, and those of its path that it does not replace. */
function parametersOf(document: Part, item: Part, operation: Part): readonly Part[] {
  const listOf = (part: Part): Part[] =>
    Array.isArray(part['parameters']) ? part['parameters'].map((each) => resolvePart(document, each)) : [];
  const own = listOf(operation);
  const isReplaced = (parameter: Part): boolean =>
    own.some((each) => each['name'] === parameter['name'] && each['in'] === parameter['in']);
  return [...listOf(item).filter((parameter) => !isReplaced(parameter)), ...own];
}

/** The values of a template's parameters in a path, undefined when it does not match. */
function matchPath(template: string, path: string): ReadonlyMap<string, string> | undefined {
  const wanted = template.split('/');
  const found = path.split('/');
  if (wanted.length !== found.length) return undefined;
  const values = new Map<string, string>();
  for (const [index, segment] of wanted.entries()) {
    const value = found[index] ?? '';
    const name = /^\{([^}]+)\}$/.exec(segment)?.[1];
    if (name === undefined ? segment !== value : value === '') return undefined;
    if (name !== undefined) values.set(name, value);
  }
  return values;
}
