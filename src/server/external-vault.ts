import { externalVault, type Config } from '#config';
import { createVault, type Vault, type VaultRequest } from '#clients';
import { systemClock } from '#core';
import { ask, type Answer, type HttpSender } from '#transport';

/** A vault must have answered within 10 seconds, with at most 1 MiB. */
const limits = { clock: systemClock, patience: 10_000, size: 1024 * 1024 } as const;

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

function send(sender: HttpSender, { url, method, headers, body }: VaultRequest): Promise<Answer> {
  const sent = body === undefined ? null : Buffer.from(body);
  return ask(sender, { url, method, headers: Object.entries(headers).flat(), body: sent }, limits);
}
