import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import type { TestContext } from 'node:test';
import { ask, ports, type Files } from '../effects/effect-server.ts';
import { startProgram, waitForOutput, type Program } from './program.ts';
import { removeFolder } from './temporary-files.ts';

export const launcher = join(import.meta.dirname, '../../bin/millrace');
export const patience = 60_000;
const isLinux = process.platform === 'linux';
export const skip = isLinux ? false : 'only Linux distributes the connections of a shared port';

/** A server with several workers. */
export interface WorkerNode {
  readonly home: string;
  readonly program: Program;
  url(name: string): string;
  /** Processes of the workers that run. */
  pids(): number[];
}

/** Starts a server with `workers` and these files in its home. */
export async function startNode(t: TestContext, files: Files, workers = 2, config = ''): Promise<WorkerNode> {
  const home = mkdtempSync(join(tmpdir(), 'millrace-workers-'));
  const all = { ...files, 'conf/deployment.toml': `${ports}[millrace]\nworkers = ${workers}\n${config}` };
  for (const [path, content] of Object.entries(all)) write(home, path, content);
  const program = startProgram(process.execPath, [launcher, 'start', '--home', home, '--log-level', 'debug'], {
    env: { PATH: process.env['PATH'], HOME: home },
  });
  t.after(async () => {
    await program.stop();
    removeFolder(home);
  });
  await waitForOutput(program, /"workers":\d+,.*"started"/, patience);
  const lines = (message: string): Record<string, unknown>[] =>
    program
      .output()
      .split('\n')
      .filter((line) => line.includes(`"msg":"${message}`))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    home,
    program,
    url: (name) => String(lines(`${name} is open`)[0]?.['url']),
    pids: () => lines('a worker is ready').map(({ pid }) => Number(pid)),
  };
}

/** Writes a file of a home. */
export function write(home: string, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), content);
}

/** An API at `/t` that answers with a text behind these mediators. */
export function answering(text: string, before = ''): Files {
  return {
    'artifacts/api/t.xml': `<api xmlns="http://ws.apache.org/ns/synapse" name="T" context="/t">
  <resource methods="GET POST"><inSequence>${before}
    <payloadFactory media-type="text"><format>${text}</format><args/></payloadFactory><respond/>
  </inSequence></resource></api>`,
  };
}

export async function bodyOf(url: string): Promise<string> {
  const answer = await ask(url);
  return typeof answer === 'string' ? answer : answer.body;
}

/** What `count` requests are answered, each on a connection of its own. */
export async function bodiesOf(url: string, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => bodyOf(url)));
}
