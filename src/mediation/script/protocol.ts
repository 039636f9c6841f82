import type { XmlTree } from './guest-xml.ts';

/** A value on its way between message and isolate: JSON and XML are marked, everything else is as it is. */
export type Carried =
  | string
  | number
  | boolean
  | null
  | { readonly form: 'json'; readonly text: string }
  | { readonly form: 'markup'; readonly text: string }
  | { readonly form: 'tree'; readonly tree: XmlTree };

/** One question to the message or one change of it: a name of `host.ts` and its arguments. */
export type Call = readonly [name: string, ...args: readonly Carried[]];

/** What a run begins with. */
export interface RunInput {
  /** Answers to the questions that the run before asked, by their text. */
  readonly known: Readonly<Record<string, Carried>>;
  /** Arguments after `mc`. */
  readonly args: readonly Carried[];
}

/** What a run ends with. */
export interface RunOutput {
  /** Changes that the message did not see yet. */
  readonly changes: readonly Call[];
  /** The questions that it asked. */
  readonly asked: readonly string[];
  readonly value?: Carried;
  /** What the script threw: its text and where. */
  readonly failure?: { readonly text: string; readonly stack: string };
}

/** How a script differs from others. */
export interface ScriptTraits {
  /** Name of the file in which an inline script stands. */
  readonly file: string;
  /** Text of an inline script, padded so that its positions are those of the artifact; undefined for a function. */
  readonly inline: string | undefined;
  /** Name of the function that is called; unused for an inline script. */
  readonly functionName: string;
  /** True where `setPayloadJSON` takes a text as JSON, as Rhino and Nashorn do. */
  readonly parsesJsonText: boolean;
}

/** Asks the message after it has seen the changes; both as JSON. The answer is `{ value }` or `{ error }`. */
export type Ask = (changes: string, question: string) => string;
