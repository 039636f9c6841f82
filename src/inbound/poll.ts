import { compileQuartzCron } from '#core/java';
import { getLogger } from '#core';
import { messageOf, MillraceError } from '#errors';
import {
  createPauses,
  createSchedule,
  isPinnedHere,
  keepLease,
  type LiveContext,
  type Pauses,
  type Timing,
} from '#mediation';
import type { InboundDefinition } from './definition.ts';
import { anyText, flag, serverNames, wholeNumber, type ParameterRule } from './parameter-rules.ts';
import type { ResolvedParameters } from './parameters.ts';
import { startSteered, type RunningInbound } from './running.ts';

const log = getLogger('inbound');

/** When an endpoint looks for messages, and where. */
export interface Polling {
  readonly timing: Timing;
  /** True to take one message after the other. */
  readonly sequential: boolean;
  /** True to look on one node of the cluster at a time. */
  readonly coordinated: boolean;
  /** Servers that may look; all when empty. */
  readonly pinnedServers: readonly string[];
}

const cron: ParameterRule<string> = {
  read(value, name) {
    const text = anyText.read(value, name);
    try {
      compileQuartzCron(text, 'UTC');
      return text;
    } catch (error) {
      const message = `the parameter "${name}" must be a cron expression: ${messageOf(error)}`;
      throw new MillraceError({ code: 'MR_INBOUND_PARAMETER', message });
    }
  },
};

/** Parameters that all endpoints have which look for messages by themselves (mediators 12). */
export const pollingParameters = {
  interval: wholeNumber(1),
  cronExpression: cron,
  sequential: flag,
  coordination: flag,
  pinnedServers: serverNames,
  // What is under way is finished before an endpoint ends, however long it takes.
  'undeployment.grace.timeout': wholeNumber(0),
} as const;

const defaultInterval = 1000;

/** Reads them. @throws ProblemsError for values that do not fit */
export function readPolling(parameters: ResolvedParameters, zone: string): Polling {
  const cronExpression = parameters.get('cronExpression', cron);
  const interval = parameters.get('interval', pollingParameters.interval) ?? defaultInterval;
  return {
    timing:
      cronExpression === undefined
        ? { interval, count: Number.POSITIVE_INFINITY, delay: 0 }
        : { cron: cronExpression, zone },
    sequential: parameters.get('sequential', flag) ?? true,
    coordinated: parameters.get('coordination', flag) ?? true,
    pinnedServers: parameters.get('pinnedServers', serverNames) ?? [],
  };
}

/** Looks for messages at times, until it is disposed. */
export interface Poller extends AsyncDisposable {
  /** Looks once; gives up when `pauses` are stopped. What it throws is logged. */
  poll(pauses: Pauses): Promise<void>;
}

/** Opens a poller and lets it look each time it is due, on one node of the cluster at a time if it is coordinated. */
export function startPolling(
  definition: InboundDefinition,
  { timing, coordinated, pinnedServers }: Polling,
  { context, open }: { context: LiveContext; open: () => Poller },
): RunningInbound {
  const { clock } = context.services;
  const { name } = definition;
  const loop = async (poller: Poller, pauses: Pauses): Promise<void> => {
    const schedule = createSchedule(timing, clock);
    for (let wait = schedule.untilNext(); wait !== undefined; wait = schedule.untilNext()) {
      if (!(await pauses.wait(wait))) return;
      try {
        await poller.poll(pauses);
      } catch (error) {
        log.error({ err: error, inbound: name }, 'a poll of the inbound endpoint failed');
      }
    }
  };
  const begin = (): AsyncDisposable => {
    const pauses = createPauses(clock);
    const poller = open();
    const running = loop(poller, pauses);
    return {
      async [Symbol.asyncDispose]() {
        pauses.stop();
        await running;
        await poller[Symbol.asyncDispose]();
      },
    };
  };
  return startPlaced(definition, { coordinated, pinnedServers }, { context, begin });
}

/** Runs something on the servers it is meant for: on one node of the cluster at a time, or on each node. */
export function startPlaced(
  definition: InboundDefinition,
  { coordinated, pinnedServers }: Pick<Polling, 'coordinated' | 'pinnedServers'>,
  { context, begin }: { context: LiveContext; begin: () => AsyncDisposable },
): RunningInbound {
  const { background } = context.services;
  // The processes of a machine are one node: without coordination each node looks for itself.
  const [machine = ''] = background.holder.split('/');
  const place = coordinated ? context : { ...context, id: `${context.id}@${machine}` };
  return startSteered(definition, context, async () => {
    if (isPinnedHere(pinnedServers, background)) return keepLease(place, begin);
    throw new MillraceError({
      code: 'MR_INBOUND_PINNED',
      message: `The inbound endpoint ${definition.name} belongs to other servers: ${pinnedServers.join(', ')}`,
    });
  });
}
