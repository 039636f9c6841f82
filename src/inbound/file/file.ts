import { writeFile } from 'node:fs/promises';
import { getLogger } from '#core';
import { messageOf } from '#errors';
import type { LiveContext, Pauses } from '#mediation';
import { backgroundRunsAs, checkBackground } from '../background-endpoint.ts';
import type { InboundDefinition } from '../definition.ts';
import { resolveParameters } from '../parameters.ts';
import { readPolling, startPolling, type Poller, type Polling } from '../poll.ts';
import { defineInbound } from '../protocol.ts';
import { finishFile } from './after.ts';
import { fileParameters, readFileSettings, type FileSettings } from './file-parameters.ts';
import { lockFile } from './lock.ts';
import { failEnding, scanFiles, type FoundFile } from './scan.ts';
import { takeFile, type FileOutcome } from './take-file.ts';

const log = getLogger('inbound');

/** An endpoint that takes files out of a folder. */
interface FileInbound {
  readonly definition: InboundDefinition;
  readonly settings: FileSettings;
  readonly polling: Polling;
}

/** `protocol="file"`: files of the local file system become messages (mediators 12.2). */
export const file = defineInbound<FileInbound>({
  names: ['file'],
  parameters: fileParameters,
  check: checkBackground,
  compile(definition, { library, services }) {
    const parameters = resolveParameters(definition.parameters, library);
    return {
      definition,
      settings: readFileSettings(parameters),
      polling: readPolling(parameters, services.settings.timeZone ?? 'UTC'),
    };
  },
  start: ({ definition, settings, polling }, context) =>
    startPolling(definition, polling, {
      context,
      open: () => createPoller(definition, settings, { polling, context }),
    }),
  runsAs: ({ definition, settings, polling }) =>
    backgroundRunsAs(definition, [settings, settings.pattern?.pattern, polling]),
});

/** A file of which only what comes after the message is left to do. */
interface Unfinished {
  readonly outcome: FileOutcome;
  readonly modified: number;
  /** When it is tried again. */
  readonly again: number;
}

function createPoller(
  definition: InboundDefinition,
  settings: FileSettings,
  { polling, context }: { polling: Polling; context: LiveContext },
): Poller {
  const { clock, background, settings: mediation } = context.services;
  const { name: inbound } = definition;
  const most = polling.sequential ? 1 : (mediation.inboundConcurrency ?? 1);
  const zone = mediation.timeZone ?? 'UTC';
  /** Files that became messages and could not be moved or deleted, by path. */
  const unfinished = new Map<string, Unfinished>();
  let isMissing = false;

  const take = async (found: FoundFile, pauses: Pauses): Promise<void> => {
    const now = clock.now();
    const before = unfinished.get(found.path);
    const isSame = before?.modified === found.modified;
    if (before && isSame && before.again > now) return;
    const unlock = await lockFile(found.path, settings, { holder: background.holder, now });
    if (!unlock) return;
    try {
      if (before && isSame) return await finish(found, before.outcome);
      if (settings.waitBeforeRead > 0 && !(await pauses.wait(settings.waitBeforeRead))) return;
      const outcome = await takeFile(found, settings, { definition, context });
      log.debug({ inbound, file: found.path, outcome }, 'a file was taken');
      await finish(found, outcome);
    } finally {
      await unlock();
    }
  };

  /** What cannot be done with a file must not make a second message of it. */
  const finish = async (found: FoundFile, outcome: FileOutcome): Promise<void> => {
    try {
      await finishFile(found, settings.after[outcome], { settings, now: clock.now(), zone });
      unfinished.delete(found.path);
    } catch (error) {
      log.error({ err: error, inbound, file: found.path }, `the file stays where it is: ${messageOf(error)}`);
      if (settings.locks) await writeFile(`${found.path}${failEnding}`, `${messageOf(error)}\n`);
      else {
        const again = clock.now() + settings.retryPause;
        unfinished.set(found.path, { outcome, modified: found.modified, again });
      }
    }
  };

  const look = async (): Promise<readonly FoundFile[]> => {
    try {
      const found = await scanFiles(settings, clock.now());
      isMissing = false;
      return found;
    } catch (error) {
      if (!isMissing) log.error({ err: error, inbound, place: settings.place.path }, 'the place cannot be looked at');
      isMissing = true;
      return [];
    }
  };

  return {
    async poll(pauses) {
      const waiting = [...(await look())];
      const worker = async (): Promise<void> => {
        for (let next = waiting.shift(); next && !pauses.isStopped; next = waiting.shift()) {
          await take(next, pauses).catch((error: unknown) =>
            log.error({ err: error, inbound, file: next?.path }, 'a file could not be taken'),
          );
          if (settings.pause > 0 && waiting.length > 0) await pauses.wait(settings.pause);
        }
      };
      await Promise.all(Array.from({ length: Math.min(most, waiting.length) }, worker));
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
