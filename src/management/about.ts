import { firstElement, type XmlElement } from '#xml';
import { childOf, namedValues, textOf } from './artifact-facts.ts';

/** What tells artifacts of a kind apart besides their names, from their sources. */
const words: Readonly<Record<string, (xml: XmlElement) => readonly string[]>> = {
  api: (xml) => [textOf(xml, 'context'), textOf(xml, 'version')],
  inboundEndpoint: (xml) => [
    textOf(xml, 'protocol') || textOf(xml, 'class'),
    textOf(xml, 'sequence') && `to ${textOf(xml, 'sequence')}`,
  ],
  endpoint: (xml) => {
    const form = firstElement(xml);
    return form ? [form.local, textOf(form, 'uri-template') || textOf(form, 'uri')] : [];
  },
  task: (xml) => [textOf(xml, 'group')],
  messageStore: (xml) => [textOf(xml, 'class').split('.').at(-1) ?? ''],
  messageProcessor: (xml) => [textOf(xml, 'messageStore')],
  data: (xml) => {
    const config = childOf(xml, 'config');
    const named = config && namedValues(config, 'property')['carbon_datasource_name'];
    return [textOf(childOf(xml, 'description'), 'value'), named ?? textOf(config, 'id')];
  },
};

/** A few words about an artifact for lists; empty for kinds without any. */
export function aboutOf(kind: string, xml: XmlElement): string {
  return (words[kind]?.(xml) ?? []).filter((word) => word !== '').join(' ');
}
