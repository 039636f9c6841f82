import type { SourceNode } from '#xml';
import type { CompileContext } from '../context.ts';
import { defineEndpoint, type CompiledEndpoint, type EndpointDefinition } from '../endpoint.ts';
import { synapseElement } from '../reading.ts';
import { algorithms, type AlgorithmName, type WeightedMember } from './algorithms.ts';
import { createGroup, type Candidates, type GroupEndpoint } from './group.ts';
import { compileMembers, readMembers, serializeMembers, type Members } from './members.ts';
import { readSession, serializeSession, type SessionSettings } from './session.ts';
import { withSessions } from './session-affinity.ts';

interface Definition {
  readonly members: Members;
  readonly weights: readonly number[];
  readonly policy: string | undefined;
  /** The class name as written. */
  readonly algorithm: string | undefined;
  readonly failover: boolean | undefined;
  readonly buildMessage: boolean | undefined;
  readonly session: SessionSettings | undefined;
}

const weightProperty = 'loadbalance.weight';

/** `<loadbalance>`: members take turns; with `<session>`, a client stays with the one it met first (runtime-core 5.6). */
export const loadbalance = defineEndpoint<Definition>({
  element: 'loadbalance',
  attributes: ['algorithm', 'policy', 'failover', 'buildMessage'],
  children: ['endpoint', 'member'],
  siblings: ['session'],
  parse(node, outer, context) {
    const members = readMembers(node, context);
    const flag = (name: string): boolean | undefined =>
      node.attribute(name) === undefined ? undefined : node.flag(name, true);
    return {
      members,
      weights: members.endpoints.map((endpoint) => readWeight(endpoint, node)),
      policy: readPolicy(node),
      algorithm: readAlgorithm(node),
      failover: flag('failover'),
      buildMessage: flag('buildMessage'),
      session: readSession(outer.child('session')),
    };
  },
  serialize: ({ members, policy, algorithm, failover, buildMessage }) =>
    serializeMembers(synapseElement('loadbalance', { policy, algorithm, failover, buildMessage }), members),
  serializeSiblings: ({ session }) => (session ? [serializeSession(session)] : []),
  compile(definition, name, context) {
    const members = compileMembers(definition.members, context);
    const weighted = members.map((endpoint, index) => count(endpoint, definition.weights[index] ?? 1));
    const group = createLoadbalance(definition, { name, members: weighted }, context);
    const { session } = definition;
    return session
      ? withSessions(group, { settings: session, members: weighted.map((each) => each.endpoint) }, context)
      : group;
  },
});

function readPolicy(node: SourceNode): string | undefined {
  const policy = node.attribute('policy');
  if (policy === undefined) return undefined;
  if (node.attribute('algorithm') !== undefined) {
    node.error('<loadbalance> takes either "policy" or "algorithm", found both', { attribute: 'policy' });
  }
  return node.choice('policy', ['roundRobin'], 'roundRobin');
}

/** The class name without its package. */
function algorithmOf(className: string): string {
  return className.slice(className.lastIndexOf('.') + 1);
}

function readAlgorithm(node: SourceNode): string | undefined {
  const className = node.attribute('algorithm');
  if (className === undefined || Object.hasOwn(algorithms, algorithmOf(className))) return className;
  node.error(`"algorithm" must be one of ${Object.keys(algorithms).join(', ')}; found the class ${className}`, {
    attribute: 'algorithm',
    code: 'MR_ENDPOINT_ALGORITHM',
  });
  return undefined;
}

function readWeight({ properties }: EndpointDefinition, node: SourceNode): number {
  const value = properties.find(({ name }) => name === weightProperty)?.value;
  if (value === undefined) return 1;
  if (/^\d+$/.test(value) && Number(value) > 0) return Number(value);
  node.error(`the property "${weightProperty}" must be a whole number above 0, found "${value}"`);
  return 1;
}

/** A member that counts the messages it has. */
function count(endpoint: CompiledEndpoint, weight: number): WeightedMember {
  const member: WeightedMember = {
    weight,
    underWay: 0,
    endpoint: {
      ...endpoint,
      async send(message, options) {
        member.underWay++;
        try {
          return await endpoint.send(message, options);
        } finally {
          member.underWay--;
        }
      },
    },
  };
  return member;
}

function createLoadbalance(
  { algorithm, failover = true }: Definition,
  { name, members }: { readonly name: string; readonly members: readonly WeightedMember[] },
  context: CompileContext,
): GroupEndpoint {
  const chosen: AlgorithmName = algorithm === undefined ? 'RoundRobin' : (algorithmOf(algorithm) as AlgorithmName);
  const turn = context.services.endpointStates.obtain(
    `${context.id}#turn`,
    JSON.stringify([chosen, members.map(({ weight }) => weight)]),
    () => ({ next: 0, used: 0 }),
  );
  return createGroup(
    {
      name,
      kind: 'Loadbalance',
      members: members.map(({ endpoint }) => endpoint),
      failsOver: failover,
      pick: (candidates: Candidates) => algorithms[chosen](members, turn, candidates)?.endpoint,
    },
    context,
  );
}
