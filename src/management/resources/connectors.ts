import { existsSync, renameSync, writeFileSync } from 'node:fs';
import type { DeployedArtifact } from '#artifacts';
import { defineOperation, pick, type Operation, wordIn } from '#rest';
import { serializeXml } from '#xml';
import { factsOf, textOf } from '../artifact-facts.ts';
import {
  anyObject,
  emptyResponse,
  listOf,
  message,
  optionalText,
  queryText,
  requiredText,
  searched,
} from '../conventions.ts';
import { artifactsOf, type ManagedRuntime } from '../runtime.ts';

/** The kind of `<import>`, which turns a connector on. */
const kind = 'import';

/** `/connectors` (management 1.6, 1.7): what `<import>` turns on and off. */
export function connectorOperations(runtime: ManagedRuntime): readonly Operation[] {
  const describe = (deployed: DeployedArtifact): Record<string, string> & { readonly name: string } => {
    const { xml } = factsOf(runtime, deployed);
    return {
      name: textOf(xml, 'name'),
      package: textOf(xml, 'package'),
      description: textOf(xml, 'description'),
      status: textOf(xml, 'status') === 'enabled' ? 'enabled' : 'disabled',
    };
  };
  const find = (name: string, group: string | undefined): DeployedArtifact | undefined =>
    artifactsOf(runtime, kind).find((deployed) => {
      const connector = describe(deployed);
      return connector.name === name && (group === undefined || connector['package'] === group);
    });
  return [
    defineOperation({
      id: 'getConnectors',
      method: 'GET',
      path: '/connectors',
      summary: 'Connectors, or the one that connectorName names',
      responses: { 200: { description: 'The list under count and list, or the details of one; empty for an unknown' } },
      scope: 'read',
      handle({ query }) {
        const name = queryText(query, 'connectorName');
        if (name === undefined) return listOf(searched(artifactsOf(runtime, kind).map(describe), query));
        const deployed = find(name, undefined);
        return deployed ? describe(deployed) : emptyResponse(200);
      },
    }),
    defineOperation({
      id: 'changeConnector',
      method: 'POST',
      path: '/connectors',
      summary: 'Enables or disables a connector for good',
      body: anyObject,
      responses: { 200: { description: 'What was changed, or why nothing was' } },
      scope: 'write',
      audited: ({ body }) => {
        const status = wordIn(body, 'status');
        const action = status === 'enabled' || status === 'disabled' ? status : 'updated';
        return { action, type: 'connector', info: { ...pick(body, 'name', 'package', 'status') } };
      },
      async handle({ body }) {
        const name = requiredText(body, 'name');
        const status = requiredText(body, 'status').toLowerCase();
        const deployed = find(name, optionalText(body, 'package'));
        if (!deployed) return message(`There is no connector "${name}"`);
        if (status !== 'enabled' && status !== 'disabled') {
          return message(`"status" must be enabled or disabled; found "${status}"`);
        }
        if (!existsSync(deployed.file))
          return message(`The connector ${name} belongs to an archive and stays as it is`);
        await rewrite(runtime, deployed, status);
        return message(`The connector ${name} is ${status}`);
      },
    }),
  ];
}

/** Writes the import with its new status and deploys it. */
async function rewrite({ deployer }: ManagedRuntime, deployed: DeployedArtifact, status: string): Promise<void> {
  const { artifact, file } = deployed;
  const element = artifact.serialize();
  element.attributes = element.attributes.filter(({ local }) => local !== 'status');
  element.attributes.push({ prefix: '', local: 'status', uri: '', value: status });
  const part = `${file}.part`;
  writeFileSync(part, `${serializeXml(element)}\n`);
  renameSync(part, file);
  await deployer.deploy();
}
