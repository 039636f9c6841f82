import type { Client, Clients } from './client.ts';

/** Lets a client work or stops it; one that is stopped loses its tokens. */
export async function setClientActive(
  parts: { readonly clients: Clients; readonly tokens: { revokeOfClient(id: string): Promise<number> } },
  client: Client,
  isActive: boolean,
): Promise<Client> {
  const changed = { ...client, isActive };
  await parts.clients.update(changed);
  if (!isActive) await parts.tokens.revokeOfClient(client.id);
  return changed;
}
