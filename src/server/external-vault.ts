import { externalVault, type Config } from '#config';
import { createVault, type Vault, type VaultRequest } from '#clients';
import { systemClock } from '#core';
import { bodySourceOf, readBody } from '#message';
import type { HttpSender } from '#transport';

/** Milliseconds within which a vault must answer. */
const patience = 10_000;
const bodyLimit = 1024 * 1024;

/** Opens the vault of the first `[[external_vault]]`; undefined when there is none. */
export function openExternalVault(config: Config, sender: HttpSender): Vault | undefined {
  const [first] = config.list(externalVault);
  const address = first?.get(externalVault.address);
  if (!first || address === undefined) return undefined;
  return createVault(
    {
      address: address.replace(/\/+$/, ''),
      rootToken: first.get(externalVault.rootToken),
      roleId: first.get(externalVault.roleId),
      secretId: first.get(externalVault.secretId),
      ldapUsername: first.get(externalVault.ldapUsername),
      ldapPassword: first.get(externalVault.ldapPassword),
      engineVersion: first.get(externalVault.engineVersion) === 1 ? 1 : 2,
      namespace: first.get(externalVault.namespace),
      cacheTime: first.milliseconds(externalVault.cacheableDuration),
    },
    { clock: systemClock, transport: (request) => send(sender, request) },
  );
}

function send(sender: HttpSender, request: VaultRequest): Promise<{ status: number; text: string }> {
  const { origin, pathname, search } = new URL(request.url);
  const headers = Object.entries(request.headers).flat();
  return new Promise((resolve, reject) => {
    const exchange = sender.send(
      {
        origin,
        method: request.method,
        target: pathname + search,
        headers,
        body: request.body === undefined ? null : Buffer.from(request.body),
        idleTimeout: patience,
      },
      {
        onError(error) {
          cancel();
          reject(error);
        },
        onResponse({ status, body }) {
          readBody(body ?? bodySourceOf(new Uint8Array()), bodyLimit)
            .then((bytes) => resolve({ status, text: Buffer.from(bytes).toString('utf8') }), reject)
            .finally(cancel);
        },
      },
    );
    const cancel = systemClock.after(patience, () => exchange.abort());
  });
}
