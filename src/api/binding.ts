import type { ParseContext } from '#mediation';
import type { SourceNode } from '#xml';

/** The listeners of the server, among the names of inbound endpoints. */
export const defaultBinding = 'default';

/** The inbound endpoints that serve an API or a resource (`binds-to`, runtime-core 2.1); undefined without the attribute. */
export function readBinding(node: SourceNode, context: ParseContext): readonly string[] | undefined {
  const names = node
    .attribute('binds-to')
    ?.split(',')
    .map((name) => name.trim());
  for (const key of names ?? []) {
    if (key !== defaultBinding) context.refer({ kind: 'inboundEndpoint', key, node, attribute: 'binds-to' });
  }
  return names;
}
