import type { Problem } from '#errors';
import type { MessageEnvironment } from '#message';
import type { PlacedReference } from './read.ts';

const artifactKinds = {
  sequence: 'sequence',
  endpoint: 'endpoint',
  template: 'template',
  messageStore: 'messageStore',
  inboundEndpoint: 'inboundEndpoint',
} as const;

/** What people call a kind, where that is not its name. */
const words: Readonly<Record<string, string>> = { inboundEndpoint: 'inbound endpoint' };

/** Names that nothing answers to deploy, with a warning: a message that gets there fails. */
export function missingReferences(
  references: readonly PlacedReference[],
  declared: ReadonlySet<string>,
  environment: MessageEnvironment,
): Problem[] {
  return references.flatMap(({ kind, key, position, excerpt }) => {
    const isDeclared = kind !== 'resource' && declared.has(`${artifactKinds[kind]}:${key}`);
    if (isDeclared || environment.localEntry(key) !== undefined || isReadable(environment, key)) return [];
    const message = `there is no ${words[kind] ?? kind} "${key}"`;
    return [{ code: 'MR_REFERENCE_MISSING', severity: 'warning', message, position, excerpt } as const];
  });
}

function isReadable(environment: MessageEnvironment, key: string): boolean {
  try {
    return environment.resource(key) !== undefined;
  } catch {
    // A key that cannot even be looked up does not exist, which is all that this asks.
    return false;
  }
}
