import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freeOffset, freePort } from '../test/helpers/free-port.ts';
import { sendLoad, type Load } from './load.ts';
import { coreOf } from './machine.ts';
import { startBackEnd } from './peers.ts';
import { cpuTime, pinned, start, type Running } from './process.ts';
import { subjectCommand, writeProject } from './subject.ts';

/** One run of the load: requests a second, processor time per request and latencies in microseconds. */
export interface MediationRound {
  readonly rate: number;
  readonly cpu: number;
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
}

/** Millrace on a core of its own over a project, in front of a back end. */
export interface MediationStage extends AsyncDisposable {
  readonly url: string;
  send(request: Load): Promise<MediationRound>;
}

/** What the project holds, once the port of the back end is known. */
export type MediationProject = (backEnd: number) => {
  readonly apis: readonly string[];
  readonly entries: readonly string[];
};

export async function setMediationStage(kind: 'build' | 'source', project: MediationProject): Promise<MediationStage> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
  const running: Running[] = [];
  const close = async (): Promise<void> => {
    for (const each of running.reverse()) await each.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const backEnd = await startBackEnd(folder, await freePort());
    running.push(backEnd);
    const offset = await freeOffset();
    const { apis, entries } = project(backEnd.port);
    const place = writeProject(join(folder, 'project'), apis, entries);
    const command = subjectCommand(kind, folder);
    const subject = start(
      pinned(coreOf('measured'), [...command, 'run', place, '--offset', String(offset), '--log-level', 'error']),
      { NODE_COMPILE_CACHE: join(folder, 'cache') },
    );
    running.push(subject);
    const url = `http://127.0.0.1:${8280 + offset}`;
    await untilAnswered(url, subject);
    return {
      url,
      async send(request) {
        const before = cpuTime(subject.pid);
        const { requests, seconds, p50, p99, errors } = await sendLoad(request, folder);
        return { rate: requests / seconds, cpu: (cpuTime(subject.pid) - before) / requests, p50, p99, errors };
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits until anything answers; the APIs take nothing but `POST`. */
async function untilAnswered(url: string, subject: Running): Promise<void> {
  for (let tries = 0; tries < 3000 && !subject.hasEnded(); tries++) {
    const isUp = await fetch(`${url}/mediation/payload`).then(
      (answer) => answer.status === 405,
      () => false,
    );
    if (isUp) return;
    await sleep(10);
  }
  throw new Error(`${url} did not answer`);
}
