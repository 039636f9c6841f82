import { adapterOf } from '../adapters/index.ts';
import { placesIn } from '../publishers/placeholders.ts';
import { senderError } from './sender-error.ts';
import { missingProperties, publisherOf, smsMapping, type Templates } from './sender-publisher.ts';
import { propertiesOf, reservedKeys, type Sender } from './sender.ts';

/**
 * Refuses a sender that could never send (identity 6.4, rulings 9).
 *
 * @throws RestError of `senderError`, its description naming the field
 */
export function checkSender(sender: Sender, templates: Templates): void {
  for (const [index, { key }] of sender.properties.entries()) {
    if (key === '') throw invalid(`properties[${index}].key`, 'must not be empty');
    if (reservedKeys.has(key)) throw invalid(`properties[${index}].key`, `must not be the reserved key "${key}"`);
  }
  if (sender.channel === 'sms') {
    if (sender.provider === '') throw senderError('NSM-60003', 'The attribute provider is empty');
    if (!smsMapping(sender, templates)) {
      const known = [...templates.values()].map(({ provider }) => provider).join(', ') || 'none';
      const what = sender.contentType === undefined ? '' : ` as ${sender.contentType}`;
      const description = `Expected a property "body" or a provider with a template${what} (${known}); found "${sender.provider.slice(0, 100)}"`;
      throw senderError('NSM-60004', description);
    }
    if (sender.providerURL === '') throw senderError('NSM-60005', 'The attribute providerURL is empty');
    if (!isWebAddress(sender.providerURL)) throw invalid('providerURL', 'must be an address of http or https');
    const [missing] = missingProperties(sender, templates);
    if (missing !== undefined) {
      throw invalid(`properties.${missing}`, `cannot be null: the template of ${sender.provider} names $${missing}`);
    }
  }
  checkAdapter(sender, templates);
}

/** The adapter says which of its properties cannot be used. */
function checkAdapter(sender: Sender, templates: Templates): void {
  const base = { name: sender.name, stream: '', mapping: { type: 'text', inline: '' }, adapter: '' } as const;
  const publisher = publisherOf(sender, { ...base, properties: new Map() }, templates);
  const problem = publisher && adapterOf(publisher)?.check(propertiesOf(sender));
  if (problem) throw invalid(`properties.${problem.key}`, problem.rule);
}

function isWebAddress(text: string): boolean {
  const places = [...placesIn(text)];
  const filled = places.length === 0 ? text : text.replaceAll(/\{\{[^{}]*\}\}/g, 'x');
  return URL.canParse(filled) && /^https?:$/.test(new URL(filled).protocol);
}

function invalid(field: string, rule: string): Error {
  return senderError('UE-10000', `Property ${field} ${rule}.`);
}
