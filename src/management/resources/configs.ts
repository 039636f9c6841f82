import { defineOperation, pick, type Operation } from '#rest';
import { anyObject, message, queryText, refusal, requiredText, smallMessage } from '../conventions.ts';
import type { ManagedRuntime } from '../runtime.ts';

/** `/configs` and `/external-vaults` (management 1.7). */
export function configOperations({ correlationLog, setVaultSecretId, node }: ManagedRuntime): readonly Operation[] {
  const known = (name: string | undefined): void => {
    if (name !== 'correlation') throw refusal(400, `The only configuration is "correlation"; found "${name ?? ''}"`);
  };
  return [
    defineOperation({
      id: 'getConfigs',
      method: 'GET',
      path: '/configs',
      summary: 'Whether the correlation log is written',
      responses: { 200: { description: 'The configuration that configName names' } },
      scope: 'admin',
      handle({ query }) {
        known(queryText(query, 'configName'));
        return { configName: 'correlation', configs: { enabled: correlationLog.isOn } };
      },
    }),
    defineOperation({
      id: 'changeConfigs',
      method: 'PUT',
      path: '/configs',
      summary: 'Switches the correlation log on or off until the process ends',
      body: anyObject,
      responses: { 200: { description: 'What was changed' } },
      scope: 'admin',
      audited: ({ body }) => {
        const { enabled } = pick(body?.['configs'], 'enabled');
        const action = enabled === undefined ? 'updated' : enabled === true ? 'enabled' : 'disabled';
        return { action, type: 'config', info: pick(body, 'configName') };
      },
      async handle({ body }) {
        known(requiredText(body, 'configName'));
        const isOn = (body['configs'] as { readonly enabled?: unknown } | undefined)?.enabled;
        if (typeof isOn !== 'boolean') throw refusal(400, 'The field "configs.enabled" must be true or false');
        correlationLog.isOn = isOn;
        await node.spread({ name: 'correlation', subject: '', state: isOn });
        return smallMessage(`The correlation log is ${isOn ? 'on' : 'off'}`);
      },
    }),
    defineOperation({
      id: 'changeVault',
      method: 'POST',
      path: '/external-vaults/{vault}',
      summary: 'Signs in to the external vault with another secret id from now on',
      body: anyObject,
      responses: { 200: { description: 'It was taken' } },
      scope: 'write',
      audited: ({ path }) => ({
        action: 'updated',
        type: 'external_vault',
        info: { ...pick(path, 'vault'), changed: 'secretId' },
      }),
      async handle({ path, body }) {
        if (path['vault'] !== 'hashicorp')
          throw refusal(400, `The only vault is "hashicorp"; found "${path['vault']}"`);
        const secretId = requiredText(body, 'secretId');
        if (!setVaultSecretId) throw refusal(400, 'No external vault is configured; see [[external_vault]]');
        setVaultSecretId(secretId);
        await node.spread({ name: 'vault', subject: '', state: secretId });
        return message('The secret id is replaced');
      },
    }),
  ];
}
