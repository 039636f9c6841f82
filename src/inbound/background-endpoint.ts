import type { SourceNode } from '#xml';
import type { InboundDefinition } from './definition.ts';

/** Reports what is wrong with an endpoint that takes messages by itself, without a client that waits (mediators 12). */
export function checkBackground(node: SourceNode, definition: InboundDefinition): void {
  requireSequence(node, definition);
  if (definition.handlers.length > 0) {
    node.warn('<handlers> see requests of HTTP endpoints; here nothing calls them', { code: 'MR_INBOUND_HANDLERS' });
  }
}

/** Reports an endpoint without a sequence; `unless` says what else would do. */
export function requireSequence(node: SourceNode, { sequence }: InboundDefinition, unless = ''): void {
  if (sequence !== undefined) return;
  node.error(`<inboundEndpoint> needs the attribute "sequence"${unless}`, { code: 'MR_ARTIFACT_ATTRIBUTE' });
}

/** What has to stay the same for such an endpoint to go on, as text: how messages come in, and where they go. */
export function backgroundRunsAs(
  { sequence, onError, suspend, preservesState }: InboundDefinition,
  facts: readonly unknown[],
): string {
  return JSON.stringify([...facts, sequence, onError, suspend, preservesState]);
}
