import { toMemberName } from '#json';
import { childElements, deepText } from '#xml';
import { defineFormatter } from './formatter.ts';

/** `application/x-www-form-urlencoded`: the children of the first body element, space as `%20` (runtime-core 6.3). */
export const formUrlencoded = defineFormatter({
  name: 'form-urlencoded',
  format({ payload }) {
    const content = payload.content();
    if (!content) return undefined;
    return childElements(content)
      .map((field) => `${encode(toMemberName(field.local))}=${encode(deepText(field))}`)
      .join('&');
  },
});

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()~]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
