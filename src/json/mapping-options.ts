/**
 * How JSON and XML are turned into one another (runtime-core 6.7). An absent setting behaves as its default there;
 * patterns come as functions, since they are regular expressions of Java.
 */
export interface MappingOptions {
  /** Keeps namespace prefixes in member names: `prefix_local`. */
  readonly preserveNamespace?: boolean;
  /** Between prefix and local name; `_` when absent. */
  readonly namespaceSeparator?: string;
  /** Writes `@xmlns` members; counts only with `preserveNamespace`. */
  readonly namespaceDeclarations?: boolean;
  /** Escapes characters of member names that an XML name cannot have, instead of refusing them. */
  readonly validNames?: boolean;
  /** Numbers, `true`, `false` and `null` written as such; true when absent. */
  readonly autoPrimitive?: boolean;
  /** Text for which it holds stays a string. */
  readonly keepString?: (text: string) => boolean;
  /** Replacement of a text with a marker, which then stays a string; undefined for texts without the marker. */
  readonly replaceMarker?: (text: string) => string | undefined;
  /** Adjacent siblings of one name become an array; true when absent. */
  readonly autoArray?: boolean;
  /** `<?xml-multiple name?>` forces an array when XML is read; true when absent. */
  readonly readMultiple?: boolean;
  /** Writes `<?xml-multiple name?>` before the elements of an array. */
  readonly writeMultiple?: boolean;
  /** `nil="true"` stands for null both ways. */
  readonly nil?: boolean;
  /** An empty element is null, else an empty string; true when absent. */
  readonly nullForEmptyElement?: boolean;
  /** Keeps text that consists of blanks only, in elements without children. */
  readonly preserveSpaces?: boolean;
  /**
   * Marks elements by attributes of a namespace of its own where they would be read as something else, and heeds these
   * marks, so that any JSON survives the way to XML and back to the last digit.
   */
  readonly lossless?: boolean;
}

/** Element names that stand for JSON structures which XML has no name for. */
export const wrapperNames = {
  object: 'jsonObject',
  array: 'jsonArray',
  element: 'jsonElement',
  value: 'jsonValue',
} as const;
