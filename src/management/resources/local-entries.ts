import { maskText } from '#mediation';
import { childElements, getAttribute, ownText, serializeXml, type XmlElement } from '#xml';
import { childOf } from '../artifact-facts.ts';
import type { ArtifactResource } from '../artifact-resource.ts';

/** `/local-entries` (management 1.6). */
export const localEntries: ArtifactResource = {
  path: '/local-entries',
  kind: 'localEntry',
  title: 'local entry',
  parameter: 'name',
  missing: 'text',
  hidden: ['SERVER_IP', 'SERVER_HOST'],
  item: ({ name, xml }) => ({ name, type: typeOf(xml) }),
  detail({ name, xml }) {
    const description = childOf(xml, 'description');
    return {
      name,
      type: typeOf(xml),
      value: valueOf(xml),
      description: description ? ownText(description).trim() : '',
    };
  },
};

function contentOf(xml: XmlElement): XmlElement | undefined {
  return childElements(xml).find(({ local }) => local !== 'description');
}

function typeOf(xml: XmlElement): string {
  if (getAttribute(xml, 'src') !== undefined) return 'Source URL';
  return contentOf(xml) ? 'Inline XML' : 'Inline Text';
}

function valueOf(xml: XmlElement): string {
  const source = getAttribute(xml, 'src');
  if (source !== undefined) return source;
  const content = contentOf(xml);
  return maskText(content ? serializeXml(content) : ownText(xml));
}
