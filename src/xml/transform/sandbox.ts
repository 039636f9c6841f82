import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction, constants, createContext, runInContext } from 'node:vm';
import { MillraceError } from '#errors';
import { sandboxProgram } from './sandbox-program.ts';

/** The XSLT engine in a context of its own; only texts go in and out. The program says what each call does. */
export interface Sandbox {
  define(id: string, form: 'source' | 'compiled', text: string, modules: string): void;
  run(id: string, source: string, parameters: string, method: string): string;
  release(id: string): void;
}

type EngineLoader = (module: unknown, exports: unknown, require: unknown) => void;

const require = createRequire(import.meta.url);

/**
 * Loads the XSLT engine into a new context, where it has no file, no network and no code from texts.
 *
 * @throws MillraceError when its package is not installed
 */
export function createSandbox(): Sandbox {
  const file = findEngine();
  const context = createContext(constants.DONT_CONTEXTIFY, { codeGeneration: { strings: false, wasm: false } });
  const load = compileFunction(readFileSync(file, 'utf8'), ['module', 'exports', 'require'], {
    parsingContext: context,
    filename: file,
  }) as EngineLoader;
  const start = runInContext(sandboxProgram, context) as (load: EngineLoader) => Sandbox;
  return start(load);
}

function findEngine(): string {
  try {
    return require.resolve('saxon-js');
  } catch (error) {
    throw new MillraceError({
      code: 'MR_PACKAGE_MISSING',
      message: 'XSLT needs the package saxon-js, which is not installed; run: npm install saxon-js@2.7.0',
      cause: error,
    });
  }
}
