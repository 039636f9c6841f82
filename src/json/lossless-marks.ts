import type { XmlElement } from '#xml';

/** The namespace of the attributes that say what JSON an element stands for, where the element alone would not. */
export const losslessNamespace = 'urn:millrace:json';

/**
 * `type`: what the element is. A `literal` holds a string as JSON spells it, for characters that XML cannot have.
 * `array`: `first` stands on the first item of an array, `empty` on an element that is no item but an empty array.
 */
export type TypeMark = 'string' | 'literal' | 'number' | 'boolean' | 'null' | 'object' | 'array';
export type ArrayMark = 'first' | 'empty';

/** Marks an element; the prefix is declared at the root. */
export function mark(element: XmlElement, local: 'type' | 'array', value: TypeMark | ArrayMark): void {
  element.attributes.push({ prefix: 'json', local, uri: losslessNamespace, value });
}

/** The value of a mark; undefined without it. */
export function markOf(element: XmlElement, local: 'type' | 'array'): string | undefined {
  for (const attribute of element.attributes) {
    if (attribute.local === local && attribute.uri === losslessNamespace) return attribute.value;
  }
  return undefined;
}
