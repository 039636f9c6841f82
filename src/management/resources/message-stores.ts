import type { CompiledStore } from '#mediation';
import { getAttribute, type XmlElement } from '#xml';
import { namedValues } from '../artifact-facts.ts';
import type { ArtifactFacts } from '../artifact-facts.ts';
import type { ArtifactResource } from '../artifact-resource.ts';

/** What is in the class of a store, and what lists call it. */
const types: readonly (readonly [part: RegExp, type: string])[] = [
  [/resequence/i, 'resequence-message-store'],
  [/jdbc/i, 'jdbc-message-store'],
  [/jms/i, 'jms-message-store'],
  [/rabbitmq/i, 'rabbitmq-message-store'],
  [/memory/i, 'in-memory-message-store'],
];

/** `/message-stores` (management 1.6); a size of -1 means that it is not known. */
export const messageStores: ArtifactResource = {
  path: '/message-stores',
  kind: 'messageStore',
  title: 'message store',
  parameter: 'name',
  missing: 'text',
  item: async (facts) => ({ name: facts.name, type: typeOf(facts.xml), size: await sizeOf(facts) }),
  detail: async (facts) => ({
    name: facts.name,
    container: facts.application ?? '',
    file: facts.deployed.file,
    properties: namedValues(facts.xml, 'parameter'),
    size: await sizeOf(facts),
    configuration: facts.configuration,
  }),
};

function typeOf(xml: XmlElement): string {
  const className = getAttribute(xml, 'class');
  if (className === undefined) return 'in-memory-message-store';
  return types.find(([part]) => part.test(className))?.[1] ?? 'custom-message-store';
}

async function sizeOf({ deployed }: ArtifactFacts): Promise<number> {
  try {
    return await (deployed.compiled as CompiledStore).store.size();
  } catch {
    // A store behind a broker or database that does not answer has a size that nobody knows.
    return -1;
  }
}
