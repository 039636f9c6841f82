import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from './median.ts';
import { firstAnswer, residentMemory, start } from './process.ts';
import { generatedApis, subjectCommand, writeProject, type SubjectKind } from './subject.ts';

/** How long a start takes, and what the process holds when nothing happens. */
export interface StartResult {
  readonly subject: SubjectKind;
  readonly artifacts: number;
  /** Milliseconds from the spawn to the first answered request with a new home and nothing kept from earlier starts. */
  readonly first: number;
  /** The same with a home and compiled code kept by earlier starts: median and best. */
  readonly again: number;
  readonly best: number;
  /** Megabytes two seconds after the start. */
  readonly idleMemory: number;
}

/** Starts each subject again and again in turn over a home with `artifacts` generated APIs. */
export async function runStartTime(options: {
  readonly subjects: readonly SubjectKind[];
  readonly artifacts: number;
  readonly rounds: number;
  readonly folder: string;
  readonly offset: number;
}): Promise<StartResult[]> {
  const { subjects, artifacts, rounds, offset } = options;
  const prepared = subjects.map((subject) => {
    const folder = join(options.folder, `start-${subject}`);
    const home = join(folder, 'home');
    mkdirSync(join(home, 'conf'), { recursive: true });
    writeFileSync(join(home, 'conf/deployment.toml'), '[server]\nhostname = "localhost"\n');
    writeProject(join(home, 'artifacts'), generatedApis(artifacts));
    const command = [...subjectCommand(subject, folder), 'start', '--home', home, '--offset', String(offset)];
    return { subject, command, cache: join(folder, 'cache'), times: [] as number[], memory: [] as number[] };
  });
  for (let round = 0; round <= rounds; round++) {
    for (const { command, cache, times, memory } of prepared) {
      if (round === 0) rmSync(cache, { recursive: true, force: true });
      const began = performance.now();
      const running = start([...command, '--log-level', 'error'], { NODE_COMPILE_CACHE: cache });
      try {
        times.push(await firstAnswer(running, `http://127.0.0.1:${8280 + offset}/api0/items/1`, began));
        await sleep(2000);
        memory.push(residentMemory(running.pid));
      } finally {
        await running.stop();
      }
    }
  }
  return prepared.map(({ subject, times: [first = Number.NaN, ...again], memory: [, ...memory] }) => ({
    subject,
    artifacts,
    first,
    again: median(again),
    best: Math.min(...again),
    idleMemory: median(memory),
  }));
}
