import { MillraceError, messageOf, synapseCodes } from '#errors';

/** What of a JSON schema counts for a mapping (mediators 4.7). Names may have prefixes. */
export interface MappingSchema {
  readonly title?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, MappingSchema>>;
  readonly attributes?: Readonly<Record<string, MappingSchema>>;
  readonly items?: MappingSchema | readonly MappingSchema[];
  readonly namespaces?: readonly { readonly prefix: string; readonly url: string }[];
  /** `XML`, `JSON` or `CSV`. */
  readonly inputType?: string;
  readonly outputType?: string;
  /** For CSV: whether the first line has the names, and what separates values. */
  readonly header?: boolean;
  readonly delimiter?: string;
}

/** Reads the schema of a mapping. @throws MillraceError for what is no JSON object */
export function readSchema(key: string, text: string): MappingSchema {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw new MillraceError({
      code: synapseCodes.mediation,
      message: `The schema ${key} of the data mapping is no JSON: ${messageOf(error)}`,
      cause: error,
    });
  }
  if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) return schema;
  throw new MillraceError({
    code: synapseCodes.mediation,
    message: `The schema ${key} of the data mapping must be a JSON object`,
  });
}

/** The name in scripts: prefixes are joined with `_`. */
export function scriptName(name: string): string {
  return name.replaceAll(/[^\w$]/g, '_');
}

/** The members of an object's schema by their names in scripts, attributes included. */
export function membersOf(schema: MappingSchema | undefined): ReadonlyMap<string, readonly [string, MappingSchema]> {
  const elements = Object.entries(schema?.properties ?? {});
  const attributes = Object.entries(schema?.attributes ?? {}).map(
    ([name, member]) => [name.startsWith('@') ? name.slice(1) : name, member] as const,
  );
  return new Map([
    ...elements.map(([name, member]) => [scriptName(name), [name, member]] as const),
    ...attributes.map(([name, member]) => [`attr_${scriptName(name)}`, [name, member]] as const),
  ]);
}

/** The schema of an array's items. */
export function itemsOf({ items }: MappingSchema): MappingSchema | undefined {
  return Array.isArray(items) ? (items as readonly MappingSchema[])[0] : (items as MappingSchema | undefined);
}
