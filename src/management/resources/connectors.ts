import { defineOperation, type Operation } from '#rest';
import { anyObject, emptyResponse, listOf, message, queryText, requiredText, searched } from '../conventions.ts';
import { factsOf, textOf } from '../artifact-facts.ts';
import { artifactsOf, findArtifact, type ManagedRuntime } from '../runtime.ts';

/** `/connectors` (management 1.6, 1.7): libraries that `<import>` brings in. */
export function connectorOperations(runtime: ManagedRuntime): readonly Operation[] {
  const describe = (deployed: Parameters<typeof factsOf>[1]): Record<string, string> => {
    const { name, key, xml } = factsOf(runtime, deployed);
    const isEnabled = runtime.switches.state(key) ?? textOf(xml, 'status') !== 'disabled';
    return {
      name: textOf(xml, 'name') || name,
      package: textOf(xml, 'package'),
      description: textOf(xml, 'description'),
      status: isEnabled ? 'enabled' : 'disabled',
    };
  };
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
        if (name === undefined) return listOf(searched(artifactsOf(runtime, 'import'), query).map(describe));
        const deployed = findArtifact(runtime, 'import', name);
        return deployed ? describe(deployed) : emptyResponse(200);
      },
    }),
    defineOperation({
      id: 'changeConnector',
      method: 'POST',
      path: '/connectors',
      summary: 'Enables or disables a connector',
      body: anyObject,
      responses: { 200: { description: 'What was changed, or why nothing was' } },
      scope: 'write',
      audit: 'connector:updated',
      async handle({ body }) {
        const name = requiredText(body, 'name');
        const status = requiredText(body, 'status').toLowerCase();
        const deployed = findArtifact(runtime, 'import', name);
        if (!deployed) return message(`There is no connector "${name}"`);
        if (status !== 'enabled' && status !== 'disabled') {
          return message(`"status" must be enabled or disabled; found "${status}"`);
        }
        runtime.switches.set(deployed.artifact.key, status === 'enabled');
        await runtime.deployer.rebuild();
        return message(`The connector ${name} is ${status}`);
      },
    }),
  ];
}
