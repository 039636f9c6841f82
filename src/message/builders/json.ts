import { defineBuilder, textOf } from './builder.ts';

/** `application/json`: the text stays the primary form; nothing is parsed until something reads it. */
export const json = defineBuilder({ name: 'json', build: (input) => ({ form: 'json', text: textOf(input) }) });
