import type { Clock } from '#core';
import { ScriptEngine, type ScriptProgram } from './engine.ts';
import { answerQuestion, applyChanges, type ScriptHost } from './host.ts';
import type { Call, Carried, RunOutput } from './protocol.ts';
import type { ScriptSettings } from './settings.ts';

/** Runs one script for many messages at once. */
export interface ScriptPool {
  readonly program: ScriptProgram;
  /** Runs the script for a message and makes its changes. @throws ScriptError when it had to be stopped */
  run(host: ScriptHost, args: readonly Carried[]): Promise<RunOutput>;
  /** Gives up every isolate. */
  dispose(): void;
}

/** Milliseconds after which an isolate that nobody used is given up. */
const idleTime = 60_000;
/** Most answers that a run gets before it asks. */
const maxKnown = 32;

/**
 * Makes a pool of isolates for a script. They are made when all others are busy, up to the pool size; what comes beyond
 * waits. A pool size of 0 keeps none: each message gets a new one.
 */
export function createScriptPool(program: ScriptProgram, settings: ScriptSettings, clock: Clock): ScriptPool {
  const most = Math.max(1, settings.poolSize);
  let idle: { readonly engine: ScriptEngine; readonly since: number }[] = [];
  let live = 0;
  let isDisposed = false;
  let isSweeping = false;
  const waiting: (() => void)[] = [];
  /** What the last run asked; the next one probably asks the same. */
  let expected: readonly string[] = [];

  const take = async (host: ScriptHost): Promise<ScriptEngine> => {
    while (idle.length === 0 && live >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    const kept = idle.pop();
    if (kept) return kept.engine;
    live++;
    try {
      return await ScriptEngine.open(program, settings, host);
    } catch (error) {
      live--;
      waiting.shift()?.();
      throw error;
    }
  };

  const give = (engine: ScriptEngine): void => {
    if (engine.usable && !isDisposed && settings.poolSize > 0) {
      idle.push({ engine, since: clock.monotonic() });
      sweepLater();
    } else {
      engine.dispose();
      live--;
    }
    waiting.shift()?.();
  };

  const sweepLater = (): void => {
    if (isSweeping) return;
    isSweeping = true;
    clock.after(idleTime, () => {
      isSweeping = false;
      const now = clock.monotonic();
      const unused = idle.filter(({ since }) => now - since >= idleTime);
      idle = idle.filter(({ since }) => now - since < idleTime);
      for (const { engine } of unused) engine.dispose();
      live -= unused.length;
      if (idle.length > 0) sweepLater();
    });
  };

  return {
    program,
    async run(host, args) {
      const engine = await take(host);
      try {
        const output = await engine.run({ known: answersTo(expected, host), args }, host, program);
        expected = output.asked.slice(0, maxKnown);
        applyChanges(host, output.changes);
        return output;
      } finally {
        give(engine);
      }
    },
    dispose() {
      isDisposed = true;
      for (const { engine } of idle) engine.dispose();
      live -= idle.length;
      idle = [];
    },
  };
}

/** Answers in advance. A question that the message refuses is left to the script, which then gets the error. */
function answersTo(questions: readonly string[], host: ScriptHost): Record<string, Carried> {
  const known: Record<string, Carried> = {};
  for (const question of questions) {
    try {
      known[question] = answerQuestion(host, JSON.parse(question) as Call);
    } catch (error) {
      host.log.debug({ at: host.at, err: error }, 'a question of a script was not answered in advance');
    }
  }
  return known;
}
