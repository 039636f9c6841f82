import { MillraceError } from '#errors';
import { toXmlName } from '#json';
import { appendChild, XmlElement, XmlText } from '#xml';
import { defineBuilder, textOf } from './builder.ts';

/** Most parameters of query and body together. */
const maxParameters = 1000;

/** `application/x-www-form-urlencoded`: `<xformValues>`, query parameters first, then those of the body (6.3). */
export const formUrlencoded = defineBuilder({
  name: 'form-urlencoded',
  build(input) {
    const root = new XmlElement('xformValues');
    let count = 0;
    for (const part of [input.query, textOf(input)]) {
      for (const [name, value] of new URLSearchParams(part)) {
        if (name === '') continue;
        if (++count > maxParameters) throw tooMany();
        const field = new XmlElement(toXmlName(name, true));
        if (value !== '') appendChild(field, new XmlText(value));
        appendChild(root, field);
      }
    }
    return { form: 'content', content: [root] };
  },
});

function tooMany(): MillraceError {
  return new MillraceError({
    code: 'MR_FORM_TOO_LARGE',
    status: 413,
    message: `The form has more than ${maxParameters} parameters`,
  });
}
