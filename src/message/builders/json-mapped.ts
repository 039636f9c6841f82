import { jsonToXml } from '#json';
import { childElements } from '#xml';
import { defineBuilder, textOf } from './builder.ts';

/**
 * `text/javascript`: JSON in the mapped convention, read as XML at once. The only member of the top object is the root
 * element; with more than one the object itself is.
 */
export const jsonMapped = defineBuilder({
  name: 'json-mapped',
  build(input) {
    const view = jsonToXml(textOf(input));
    const [first, ...others] = view?.local === 'jsonObject' ? childElements(view) : [];
    const root = first && others.length === 0 ? first : view;
    if (root) root.parent = null;
    return { form: 'content', content: root ? [root] : [] };
  },
});
