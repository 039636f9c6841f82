import { decodeText } from '#core/java';
import { appendChild, XmlElement, XmlText } from '#xml';
import { defineBuilder } from './builder.ts';

/** `application/x-www-form-urlencoded`: `<xformValues>`, query parameters first, then those of the body (6.3). */
export const formUrlencoded = defineBuilder({
  name: 'form-urlencoded',
  mediaTypes: ['application/x-www-form-urlencoded'],
  build({ bytes, query }) {
    const root = new XmlElement('xformValues');
    for (const part of [query, decodeText(bytes, 'UTF-8')]) {
      for (const [name, value] of new URLSearchParams(part)) {
        const field = new XmlElement(elementNameOf(name));
        if (value !== '') appendChild(field, new XmlText(value));
        appendChild(root, field);
      }
    }
    return { form: 'content', content: [root] };
  },
});

/** Names that XML does not allow get the prefixes of the original's JSON reader. */
function elementNameOf(name: string): string {
  if (/^\d/.test(name)) return `_JsonReader_PD_${name}`;
  return /^\$./.test(name) ? `_JsonReader_PS_${name.slice(1)}` : name;
}
