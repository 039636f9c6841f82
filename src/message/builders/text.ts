import { wrapText } from '../wrappers.ts';
import { defineBuilder, textOf } from './builder.ts';

/** `text/plain`: the text inside the `text` wrapper. */
export const text = defineBuilder({
  name: 'text',
  mediaTypes: ['text/plain'],
  build: (input) => ({ form: 'content', content: [wrapText(textOf(input))] }),
});
