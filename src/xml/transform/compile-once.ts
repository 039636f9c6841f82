import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { createConcurrencyLimiter } from '#core';
import { TransformError } from './error.ts';
import type { StylesheetModules } from './modules.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** Milliseconds that compiling may take; half a second is usual. */
const timeLimit = 30_000;
/** Compilers at once: many stylesheets may be new after a deployment. */
const limiter = createConcurrencyLimiter({ concurrency: 2, queue: 1000 });

/** The directory of the engine's compiler, the package xslt3; undefined when it is not installed. */
export function findCompiler(): string | undefined {
  try {
    return dirname(require.resolve('xslt3/package.json'));
  } catch {
    // The package is optional: without it stylesheets are compiled for each message.
    return undefined;
  }
}

/**
 * Compiles a stylesheet into the engine's own form, in a process of its own that sees nothing but the stylesheet's
 * modules and the compiler.
 *
 * @throws TransformError with what the compiler says
 */
export function compileOnce(modules: StylesheetModules, compiler: string): Promise<string> {
  return limiter.run(() => compile(modules, compiler));
}

async function compile(modules: StylesheetModules, compiler: string): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'millrace-xslt-')));
  try {
    const files = Object.entries({ ...modules.imported, 'main.xsl': modules.main });
    for (const [name, text] of files) await writeFile(join(directory, name), text, { mode: 0o600 });
    const code = await realpath(dirname(compiler));
    const engine = await realpath(dirname(require.resolve('saxon-js')));
    const readable = new Set([directory, code, await realpath(compiler), dirname(engine)]);
    const limits = [...readable].map((path) => `--allow-fs-read=${path}`);
    const permissions = ['--permission', ...limits, `--allow-fs-write=${directory}`];
    const program = join(compiler, 'xslt3.js');
    const args = [...permissions, program, '-xsl:main.xsl', '-export:main.sef.json', '-nogo'];
    const { stderr } = await run(process.execPath, args, { cwd: directory, timeout: timeLimit, env: {} }).catch(
      (error: Error & { stderr?: string }) => ({ stderr: error.stderr || error.message }),
    );
    return await readFile(join(directory, 'main.sef.json'), 'utf8').catch((error: unknown) => {
      throw new TransformError(firstProblem(stderr), stderr, error);
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** What the compiler's output says is wrong: the line below the code of the error, or else its first line. */
function firstProblem(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  const headed = lines.findIndex((line) => /^Error .*:$/.test(line));
  const code = /\b[A-Z]{4}\d{4}\b/.exec(lines[headed] ?? '')?.[0];
  const told = (lines[headed + 1] || lines.find((line) => line !== '') || 'compiling failed').slice(0, 1000);
  return code === undefined ? told : `${told} (${code})`;
}
