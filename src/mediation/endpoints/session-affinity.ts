import type { Clock } from '#core';
import { synapseCodes } from '#errors';
import type { Message } from '#message';
import { libraryOf, type CompileContext } from '../context.ts';
import type { CompiledEndpoint } from '../endpoint.ts';
import { EndpointFault } from './endpoint-fault.ts';
import type { GroupEndpoint } from './group.ts';
import { sessionKinds, type SessionSettings } from './session.ts';

/** Most sessions that one endpoint remembers; beyond that the oldest end early. */
const maximumSessions = 100_000;

/** Which member a session belongs to, until it has not been heard of for the time. */
class Sessions {
  readonly #clock: Clock;
  readonly #timeout: number;
  /** In the order of their last message. */
  readonly #members = new Map<string, { readonly member: number; readonly until: number }>();

  constructor(clock: Clock, timeout: number) {
    this.#clock = clock;
    this.#timeout = timeout;
  }

  /** The member of the first session that is known, with that session. */
  find(sessions: readonly string[]): { session: string; member: number } | undefined {
    for (const session of sessions) {
      const known = this.#members.get(session);
      if (known && known.until > this.#clock.monotonic()) return { session, member: known.member };
    }
    return undefined;
  }

  keep(session: string, member: number): void {
    const now = this.#clock.monotonic();
    this.#members.delete(session);
    this.#members.set(session, { member, until: now + this.#timeout });
    for (const [oldest, { until }] of this.#members) {
      if (until > now && this.#members.size <= maximumSessions) break;
      this.#members.delete(oldest);
    }
  }
}

/**
 * Lets the messages of one session go to the member that had the first of them. A session is bound to its member: a
 * failure there is not moved to another one (runtime-core 5.6).
 */
export function withSessions(
  group: GroupEndpoint,
  { settings, members }: { readonly settings: SessionSettings; readonly members: readonly CompiledEndpoint[] },
  context: CompileContext,
): CompiledEndpoint {
  const { services } = context;
  const timeout = settings.timeout ?? services.settings.sessionTimeout ?? 600_000;
  const sessions = services.endpointStates.obtain(
    `${context.id}#sessions`,
    JSON.stringify([settings.type, timeout, members.length]),
    () => new Sessions(services.clock, timeout),
  );
  const kind = sessionKinds[settings.type];
  const { maxBodyBytes } = services.settings;

  /** Notes the session that an answer begins. */
  const bind = async (
    message: Message,
    asked: readonly string[],
    member: CompiledEndpoint | undefined,
  ): Promise<void> => {
    if (kind.readsBody) await message.payload.load(maxBodyBytes);
    const begun = kind.ofAnswer(message, asked);
    if (begun !== undefined && member) sessions.keep(begun, members.indexOf(member));
  };

  return {
    ...group,
    async send(message, options) {
      if (kind.readsBody && !message.payload.loaded) await message.payload.load(maxBodyBytes);
      const wanted = kind.ofRequest(message);
      const bound = sessions.find(wanted);
      const member = bound && members[bound.member];
      if (bound && member) {
        if (!member.isReady(libraryOf(message))) throw notReady(group.name, member.name);
        try {
          const flow = await member.send(message, options);
          sessions.keep(bound.session, bound.member);
          await bind(message, wanted, member);
          return flow;
        } catch (error) {
          if (!(error instanceof EndpointFault)) throw error;
          throw failedSession(group.name, error);
        }
      }
      let taker: CompiledEndpoint | undefined;
      const flow = await group.sendTo(message, options, (taken) => (taker = taken));
      await bind(message, wanted, taker);
      return flow;
    },
  };
}

function notReady(group: string, member: string): EndpointFault {
  return new EndpointFault({
    code: synapseCodes.sessionEndpointNotReady,
    message: `The session of ${group} belongs to ${member}, which is not ready`,
  });
}

function failedSession(group: string, cause: EndpointFault): EndpointFault {
  return new EndpointFault({
    code: synapseCodes.sessionFailed,
    message: `A session of ${group} failed: ${cause.message}`,
    detail: cause.detail,
    cause,
  });
}
