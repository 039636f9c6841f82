import { defineEndpoint } from '../endpoint.ts';
import { synapseElement } from '../reading.ts';
import { createGroup } from './group.ts';
import { compileMembers, readMembers, serializeMembers, type Members } from './members.ts';

interface Definition {
  readonly members: Members;
  readonly dynamic: boolean | undefined;
  readonly buildMessage: boolean | undefined;
}

/** `<failover>`: the first member that is ready, the next one when it fails (runtime-core 5.6). */
export const failover = defineEndpoint<Definition>({
  element: 'failover',
  attributes: ['dynamic', 'buildMessage'],
  children: ['endpoint', 'member'],
  parse: (node, _, context) => ({
    members: readMembers(node, context),
    dynamic: node.attribute('dynamic') === undefined ? undefined : node.flag('dynamic', true),
    buildMessage: node.attribute('buildMessage') === undefined ? undefined : node.flag('buildMessage', false),
  }),
  serialize: ({ members, dynamic, buildMessage }) =>
    serializeMembers(synapseElement('failover', { dynamic, buildMessage }), members),
  compile({ members: parts, dynamic = true }, name, context) {
    const members = compileMembers(parts, context);
    const current = context.services.endpointStates.obtain(`${context.id}#current`, String(members.length), () => ({
      index: 0,
    }));
    return createGroup(
      {
        name,
        kind: 'Failover',
        members,
        failsOver: true,
        pick({ isReady }) {
          const [kept] = dynamic ? [] : members.slice(current.index);
          if (kept && isReady(kept)) return kept;
          const found = members.find((member) => isReady(member));
          if (found) current.index = members.indexOf(found);
          return found;
        },
      },
      context,
    );
  },
});
