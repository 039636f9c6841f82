/**
 * A parsed JSON value. Objects are maps: member order is kept, `__proto__` is an ordinary name, and the last of equal
 * names wins. Numbers keep the text in which they were written.
 */
export type JsonValue = string | boolean | null | JsonNumber | JsonArray | JsonObject;
export type JsonArray = JsonValue[];
export type JsonObject = Map<string, JsonValue>;

/** A JSON number with its spelling. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
