import { synapseCodes } from '#errors';
import type { Message } from '#message';
import { libraryOf, type CompileContext } from '../context.ts';
import type { CompiledEndpoint, SendOptions } from '../endpoint.ts';
import type { Flow } from '../flow.ts';
import { EndpointFault } from './endpoint-fault.ts';
import type { EndpointStatus } from './endpoint-statistics.ts';
import { saveMessage } from './saved-message.ts';

/** Which members of a group may take a message. */
export interface Candidates {
  /** True for a member that is ready and that this message was not refused by. */
  readonly isReady: (member: CompiledEndpoint) => boolean;
  /** True for a member that this message was not refused by. */
  readonly isOpen: (member: CompiledEndpoint) => boolean;
}

/** What distinguishes one kind of group from another. */
export interface Group {
  readonly name: string;
  /** How messages name the kind. */
  readonly kind: 'Loadbalance' | 'Failover';
  readonly members: readonly CompiledEndpoint[];
  /** True when another member is tried after one has failed. */
  readonly failsOver: boolean;
  /** The next member to try; undefined when none is left. */
  pick(candidates: Candidates): CompiledEndpoint | undefined;
}

/** A group that tells which of its members took a message. */
export interface GroupEndpoint extends CompiledEndpoint {
  sendTo(message: Message, options: SendOptions, taken: (member: CompiledEndpoint) => void): Promise<Flow>;
}

const errorProperties = ['ERROR_CODE', 'ERROR_MESSAGE', 'ERROR_DETAIL', 'ERROR_EXCEPTION'];

/** An endpoint that chooses among others, and where it may, tries the next one after a failure (runtime-core 5.6). */
export function createGroup(group: Group, context: CompileContext): GroupEndpoint {
  const { services } = context;
  const { maxBodyBytes, maximumFailovers, failoverRest = 30_000 } = services.settings;
  const keepsMessage = group.failsOver && group.members.length > 1;

  const attempt = (message: Message, member: CompiledEndpoint, options: SendOptions): Promise<Flow> => {
    if (group.kind === 'Failover') for (const name of errorProperties) message.properties.delete(name);
    return member.send(message, options);
  };

  const sendTo: GroupEndpoint['sendTo'] = async (message, options, taken) => {
    const library = libraryOf(message);
    if (!group.members.some((member) => member.isReady(library))) throw noneReady(group);
    if (keepsMessage && !message.payload.loaded) await message.payload.load(maxBodyBytes);
    const restore = keepsMessage ? saveMessage(message) : undefined;
    const refused = new Set<CompiledEndpoint>();
    const isOpen = (member: CompiledEndpoint): boolean => !refused.has(member);
    const candidates: Candidates = { isOpen, isReady: (member) => isOpen(member) && member.isReady(library) };
    let failure: EndpointFault | undefined;
    for (let failures = 0; ; failures++) {
      const member = group.pick(candidates);
      if (!member) throw failure ?? noneReady(group);
      if (failures > 0) restore?.();
      const retries = member.retriesLeft?.(library);
      try {
        const flow = await attempt(message, member, options);
        taken(member);
        return flow;
      } catch (error) {
        if (!(error instanceof EndpointFault)) throw error;
        failure = error;
        if (!group.failsOver || !error.allowsRetry) throw finalOf(error);
        if (!usedRetry(retries, member.retriesLeft?.(library))) refused.add(member);
        if (maximumFailovers !== undefined && failures >= maximumFailovers) {
          member.rest?.(failoverRest, library);
          throw error;
        }
        services.log.warn(
          { group: group.name, member: member.name, code: error.code, message: message.id },
          'a member of the group failed; the next one is tried',
        );
      }
    }
  };

  return {
    name: group.name,
    ...administration(group.name, group.members),
    isReady: (library) => group.members.some((member) => member.isReady(library)),
    send: (message, options) => sendTo(message, options, () => undefined),
    sendTo,
  };
}

/** What administration sees of an endpoint with members. */
export function administration(
  name: string,
  members: readonly CompiledEndpoint[],
): Pick<CompiledEndpoint, 'status' | 'switchOff' | 'switchOn'> {
  return {
    status(library) {
      const statuses = members.map((member) => member.status(library));
      return { name, state: stateOf(statuses), members: statuses };
    },
    switchOff(library) {
      for (const member of members) member.switchOff(library);
    },
    switchOn(library) {
      for (const member of members) member.switchOn(library);
    },
  };
}

/** A group is as well off as the best of its members. */
function stateOf(members: readonly EndpointStatus[]): EndpointStatus['state'] {
  const states = ['active', 'timeout', 'suspended', 'off'] as const;
  return states.find((state) => members.some((member) => member.state === state)) ?? 'active';
}

/**
 * A member that failed gets the same message again only when the failure has used up one of its retries before
 * suspension: anything else could go on for ever.
 */
function usedRetry(before: number | undefined, after: number | undefined): boolean {
  return after !== undefined && (before === undefined || after < before);
}

/** The failure of a group as a group around it sees it: what its own member may not repeat, another one still may. */
function finalOf(error: EndpointFault): EndpointFault {
  if (error.allowsRetry) return error;
  const { code, message, detail, cause } = error;
  return new EndpointFault({ code, message, detail, cause });
}

/** No member was ready, so none was tried. */
export function noneReady({ kind, name }: { readonly kind: string; readonly name: string }): EndpointFault {
  return new EndpointFault({
    code: synapseCodes.groupNotReady,
    message: `${kind} endpoint : ${name} - no ready child endpoints`,
  });
}
