import { watch, type FSWatcher } from 'node:fs';
import { getLogger } from '#core';
import { formatProblem, type Problem } from '#errors';
import { readSources, type SourcePlaces, type SourceSet } from './sources.ts';
import { buildWorld, createArtifactReader, type World, type WorldSettings } from './world.ts';

const log = getLogger('deployment');

/** What a deployment did. */
export interface DeploymentReport {
  readonly deployed: boolean;
  readonly world: World;
  readonly problems: readonly Problem[];
}

/** Holds the running world and replaces it. */
export interface Deployer extends AsyncDisposable {
  /** The world in which new messages begin. */
  readonly current: World;
  /** Reads everything again and, if what changed is sound, switches to the new world. */
  deploy(): Promise<DeploymentReport>;
  /** Deploys whenever something changes at the places. */
  watch(): void;
}

/** Milliseconds of silence that are waited for after a change, so that a file is written completely. */
const settleTime = 30;

/**
 * Deploys what is at the places. At the start, files with errors are left out and reported. Later, a change that
 * brings an error leaves the running world as it is.
 */
export async function createDeployer(places: SourcePlaces, settings: WorldSettings): Promise<Deployer> {
  const read = createArtifactReader(settings.kinds);
  const first = await readSources(places);
  const built = buildWorld(first, settings, read);
  logProblems(built.problems);
  let current = built.world;
  let running = textsOf(first);
  let queue: Promise<unknown> = Promise.resolve();
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;

  const attempt = async (): Promise<DeploymentReport> => {
    const sources = await readSources(places);
    const next = buildWorld(sources, settings, read);
    const texts = textsOf(sources);
    const isBroken = (file: string): boolean => next.faultyFiles.has(file) && running.get(file) !== texts.get(file);
    const broken = [...texts.keys()].filter(isBroken);
    const changed = next.problems.filter((problem) => broken.includes(problem.position?.file ?? ''));
    if (broken.length > 0 || sources.problems.some((problem) => problem.severity === 'error')) {
      logProblems(changed.length > 0 ? changed : sources.problems);
      log.error({ files: broken }, 'the change was not deployed; what ran before still runs');
      return { deployed: false, world: current, problems: next.problems };
    }
    const previous = current;
    current = next.world;
    running = texts;
    logProblems(changed);
    log.info({ world: current.number, artifacts: current.artifacts.size }, 'deployed');
    void previous
      .retired()
      .then(() => log.debug({ world: previous.number }, 'the last message has left the old world'));
    return { deployed: true, world: current, problems: next.problems };
  };

  const deploy = (): Promise<DeploymentReport> => {
    const result = queue.then(attempt, attempt);
    queue = result.catch(() => undefined);
    return result;
  };

  const onChange = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      deploy().catch((error: unknown) => log.error({ err: error }, 'the change could not be read'));
    }, settleTime);
  };

  return {
    get current() {
      return current;
    },
    deploy,
    watch() {
      const watched = new Set([...places.directories, ...places.applications, ...places.files]);
      watchers = [...watched].map((path) => watch(path, { recursive: true, persistent: false }, onChange));
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      await queue;
    },
  };
}

function textsOf(sources: SourceSet): Map<string, string> {
  return new Map(sources.files.map(({ file, text }) => [file, text]));
}

function logProblems(problems: readonly Problem[]): void {
  for (const problem of problems) {
    const fields = { code: problem.code, at: problem.position };
    if (problem.severity === 'error') log.error(fields, formatProblem(problem));
    else log.warn(fields, formatProblem(problem));
  }
}
