import type IsolatedVm from 'isolated-vm';
import { messageOf, type Position } from '#errors';
import { installXml } from './guest-xml.ts';
import { installGuest } from './guest.ts';
import { answerText, type ScriptHost } from './host.ts';
import type { RunInput, RunOutput, ScriptTraits } from './protocol.ts';
import type { ScriptSettings } from './settings.ts';
import type { ScriptSource } from './source.ts';

/** What an isolate runs: files that are evaluated once, then a function or an inline script for each message. */
export interface ScriptProgram {
  readonly sources: readonly ScriptSource[];
  readonly traits: ScriptTraits;
}

/** A script that was stopped, or could not even begin. */
export class ScriptError extends Error {}

/** An isolate with a script in it. It serves one message at a time, on a thread of its own. */
export class ScriptEngine {
  readonly #isolate: IsolatedVm.Isolate;
  readonly #run: IsolatedVm.Reference<(input: string) => string>;
  readonly #settings: ScriptSettings;
  readonly #current: { host: ScriptHost | undefined };
  #stopped = false;

  private constructor(parts: {
    isolate: IsolatedVm.Isolate;
    run: IsolatedVm.Reference<(input: string) => string>;
    settings: ScriptSettings;
    current: { host: ScriptHost | undefined };
  }) {
    this.#isolate = parts.isolate;
    this.#run = parts.run;
    this.#settings = parts.settings;
    this.#current = parts.current;
  }

  /** Makes an isolate and evaluates the program's files in it. @throws ScriptError when one of them fails */
  static async open(program: ScriptProgram, settings: ScriptSettings, host: ScriptHost): Promise<ScriptEngine> {
    // The engine is native code, and few artifacts need it: it is loaded with the first message.
    const { default: ivm } = await import('isolated-vm');
    const { timeout, memory } = settings;
    const onCatastrophicError = (message: string): void =>
      host.log.error({ at: host.at, error: message }, 'the isolate of a script failed');
    const isolate = new ivm.Isolate({ memoryLimit: memory, onCatastrophicError });
    const current = { host: host as ScriptHost | undefined };
    try {
      const context = await isolate.createContext();
      const ask = new ivm.Reference((pending: string, question: string) => {
        if (!current.host) throw new Error('the message has left the script');
        return answerText(current.host, pending, question);
      });
      const code = `return (${installGuest.toString()})(
        (pending, question) => $0.applySyncPromise(undefined, [pending, question]), (${installXml.toString()})(), $1)`;
      const run = (await context.evalClosure(code, [ask, new ivm.ExternalCopy(program.traits).copyInto()], {
        result: { reference: true },
        timeout,
      })) as IsolatedVm.Reference<(input: string) => string>;
      for (const { text, position } of program.sources) {
        const { file, line, column } = position;
        const offsets = { filename: fileUrl(file), lineOffset: line - 1, columnOffset: column - 1 };
        const script = await isolate.compileScript(text, offsets);
        await script.run(context, { timeout });
      }
      return new ScriptEngine({ isolate, run, settings, current });
    } catch (error) {
      const failure = describeFailure(error, { settings, program, isolate });
      if (!isolate.isDisposed) isolate.dispose();
      throw failure;
    }
  }

  /** False once the script had to be stopped: the isolate is then given up. */
  get usable(): boolean {
    return !this.#stopped && !this.#isolate.isDisposed;
  }

  /** Runs the script for one message. @throws ScriptError when it had to be stopped */
  async run(input: RunInput, host: ScriptHost, program: ScriptProgram): Promise<RunOutput> {
    this.#current.host = host;
    try {
      const text = await this.#run.apply(undefined, [JSON.stringify(input)], { timeout: this.#settings.timeout });
      return JSON.parse(text) as RunOutput;
    } catch (error) {
      this.#stopped = true;
      throw describeFailure(error, { settings: this.#settings, program, isolate: this.#isolate });
    } finally {
      this.#current.host = undefined;
    }
  }

  dispose(): void {
    this.#stopped = true;
    if (!this.#isolate.isDisposed) this.#isolate.dispose();
  }
}

interface FailedRun {
  readonly settings: ScriptSettings;
  readonly program: ScriptProgram;
  readonly isolate: IsolatedVm.Isolate;
}

function describeFailure(error: unknown, { settings, program, isolate }: FailedRun): ScriptError {
  const text = messageOf(error);
  if (isolate.isDisposed) {
    return new ScriptError(`it used more than ${settings.memory} MB of memory ([millrace] script.memory)`);
  }
  if (/timed out/.test(text)) {
    return new ScriptError(`it ran longer than ${settings.timeout} ms ([millrace] script.timeout)`);
  }
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return new ScriptError(`${text}${placeIn(stack, program)}`);
}

/** ` (file:line:column)` of the first frame of a stack that is in one of the program's files, or nothing. */
export function placeIn(stack: string, { sources, traits }: ScriptProgram): string {
  for (const [, frame = ''] of stack.matchAll(/^\s+at (?:.*? ?\()?([^()\n]*:\d+:\d+)\)?$/gm)) {
    const file = [...sources.map(({ position }) => position.file), traits.file].find((each) =>
      frame.startsWith(`${fileUrl(each)}:`),
    );
    if (file !== undefined) return ` (${file}${frame.slice(fileUrl(file).length)})`;
  }
  return '';
}

/** The text of an inline script, padded so that its positions are those of the artifact. */
export function padded({ text, position }: { text: string; position: Position }): string {
  const start = `${'\n'.repeat(position.line - 1)}${' '.repeat(position.column - 1)}`;
  return `${start}${text}\n//# sourceURL=${fileUrl(position.file)}`;
}

/** A name without blanks and brackets, as stacks and source comments need it. */
function fileUrl(file: string): string {
  return encodeURI(file).replaceAll('(', '%28').replaceAll(')', '%29');
}
