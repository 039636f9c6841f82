import type { Place } from './errors.ts';
import type { Environment, Signal } from './environment.ts';

/** What an element is for the rules about white space. */
export type ElementKind = 'text' | 'interpolation' | 'silent' | 'trim' | 'macro' | 'capture' | 'block';

/** A node of a compiled template. Texts shrink and blank ones vanish before the first run, never afterwards. */
export interface Element {
  readonly kind: ElementKind;
  /** Where it begins. */
  begin: Place;
  /** The line of its last character. */
  readonly endLine: number;
  children: Element[];
  parent: Element | undefined;
  /** The elements beside it. */
  previous: Element | undefined;
  next: Element | undefined;
  /** The text of a text. */
  text: string;
  /** Of `<#t>`, `<#lt>`, `<#rt>` and `<#nt>`: the sides that are trimmed. */
  readonly trim?: { readonly left: boolean; readonly right: boolean };
  run(environment: Environment): Signal;
}

/** Runs elements one after the other until one of them ends the list. */
export function runAll(elements: readonly Element[], environment: Environment): Signal {
  for (const element of elements) {
    const signal = element.run(environment);
    if (signal !== undefined) return signal;
  }
  return undefined;
}
