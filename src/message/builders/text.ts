import { defineBuilder, textOf } from './builder.ts';

/** `text/plain`: the text inside the `text` wrapper. */
export const text = defineBuilder({ name: 'text', build: (input) => ({ form: 'text', text: textOf(input) }) });
