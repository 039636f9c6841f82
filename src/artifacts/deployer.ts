import { existsSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';
import { getLogger } from '#core';
import { formatProblem, type Problem } from '#errors';
import type { Application } from './car.ts';
import { createLiveArtifacts } from './live.ts';
import { assembleSources, readSources, type SourcePlaces, type Sources } from './sources.ts';
import { createArtifactReader } from './reader.ts';
import { buildWorld, type BuiltWorld, type World, type WorldSettings } from './world.ts';

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
  /** Messages and branches of messages that are under way, in the current world and in those before it. */
  readonly messages: number;
  /** Reads everything again and, if what changed is sound, switches to the new world. */
  deploy(): Promise<DeploymentReport>;
  /**
   * Makes what runs into a new world and switches to it, as when something is to be measured. What is compiled anew is
   * what is observed or switched otherwise than before, or read something at its deployment that has changed.
   */
  rebuild(): Promise<DeploymentReport>;
  /** What was wrong with what was read last. */
  readonly problems: readonly Problem[];
  /** The applications that were read last, those that could not be deployed included. */
  readonly applications: readonly Application[];
  /** Deploys whenever something changes at the places. */
  watch(): void;
  /** Calls `listener` whenever another world has become the current one. */
  onDeployed(listener: () => void): void;
  /** Starts what artifacts run by themselves, in this world and those that follow; resolves when it has begun. */
  goLive(): Promise<void>;
  /** What runs for an artifact such as `messageProcessor:Forwarder`; undefined when nothing does. */
  live(key: string): AsyncDisposable | undefined;
  /** Ends what runs for an artifact by itself until it is released; other artifacts go on. */
  hold(key: string): void;
  release(key: string): void;
  isHeld(key: string): boolean;
  /** Ends what artifacts run by themselves, waiting for what is under way. */
  rest(): Promise<void>;
}

/**
 * Milliseconds of silence that are waited for after a change, so that a file is written completely. Resources of the
 * registry may be written by messages, one after the other.
 */
const settleTime = { artifacts: 30, registry: 250 };

/**
 * Deploys what is at the places. A file or application with an error is reported; at the start it is left out, later
 * what it replaces goes on as it was, and everything else that changed is deployed.
 */
export async function createDeployer(places: SourcePlaces, settings: WorldSettings): Promise<Deployer> {
  const read = createArtifactReader(settings.kinds);
  const build = (sources: Sources): BuiltWorld => buildWorld(assembleSources(sources), settings, read);
  const first = await readSources(places);
  const built = build(first);
  logProblems(built.problems);
  let current = built.world;
  logProblems(await current.start());
  let running = without(first, faultyOrigins(built));
  let { problems } = built;
  let { applications } = first;
  let queue: Promise<unknown> = Promise.resolve();
  const live = createLiveArtifacts(() => current, settings.services);
  let isLive = false;
  let watchers: FSWatcher[] = [];
  const cancellations: (() => void)[] = [];
  const listeners: (() => void)[] = [];

  const attempt = async (): Promise<DeploymentReport> => {
    const wanted = await readSources(places);
    const whole = build(wanted);
    ({ problems } = whole);
    ({ applications } = wanted);
    const faulty = faultyOrigins(whole);
    const sound = faulty.size === 0 ? wanted : restore(without(wanted, faulty), running, faulty);
    logProblems(whole.problems.filter((problem) => faulty.has(originOf(problem))));
    const next = faulty.size === 0 ? whole : build(sound);
    if (isEqual(sound, running) && holdsTheSame(next.world, current)) {
      if (faulty.size > 0) log.error({ files: [...faulty] }, 'the change was not deployed; what ran before still runs');
      return { deployed: false, world: current, problems: whole.problems };
    }
    return switchTo(next, sound, whole.problems);
  };

  /** Makes a new world when something has changed that artifacts read when they were deployed. */
  const refresh = async (): Promise<DeploymentReport> => {
    const built = build(running);
    if (holdsTheSame(built.world, current)) return { deployed: false, world: current, problems };
    return switchTo(built, running, built.problems);
  };

  /** Starts a world and lets messages begin in it; what runs stays when it does not start. */
  const switchTo = async (
    { world: next, compiled }: BuiltWorld,
    sound: Sources,
    found: readonly Problem[],
  ): Promise<DeploymentReport> => {
    const failures = await next.start();
    if (failures.length > 0) {
      await next.stop();
      logProblems(failures);
      log.error({}, 'the change was not deployed, because a part of it did not start; what ran before still runs');
      return { deployed: false, world: current, problems: [...found, ...failures] };
    }
    const previous = current;
    current = next;
    running = sound;
    if (isLive) void live.apply(current);
    log.info({ world: current.number, artifacts: current.artifacts.size, compiled: compiled.length }, 'deployed');
    void retire(previous);
    for (const listener of listeners) listener();
    return { deployed: true, world: current, problems: found };
  };

  /** Stops an old world when its last message has left, or with the server. */
  const retiring = new Set<World>();
  const retire = async (world: World): Promise<void> => {
    retiring.add(world);
    await world.retired();
    log.debug({ world: world.number }, 'the last message has left the old world');
    await world.stop();
    retiring.delete(world);
  };

  const inTurn = (work: () => Promise<DeploymentReport>): Promise<DeploymentReport> => {
    const result = queue.then(work, work);
    queue = result.catch(() => undefined);
    return result;
  };
  const deploy = (): Promise<DeploymentReport> => inTurn(attempt);

  /** Does the work when nothing has changed for a while. */
  const whenSettled = (milliseconds: number, work: () => Promise<DeploymentReport>): (() => void) => {
    let timer: NodeJS.Timeout | undefined;
    cancellations.push(() => clearTimeout(timer));
    return () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        inTurn(work).catch((error: unknown) => log.error({ err: error }, 'the change could not be read'));
      }, milliseconds);
    };
  };

  return {
    get current() {
      return current;
    },
    get messages() {
      return [...retiring].reduce((sum, world) => sum + world.messages, current.messages);
    },
    deploy,
    rebuild: () =>
      inTurn(() => {
        const built = build(running);
        return switchTo(built, running, built.problems);
      }),
    get problems() {
      return problems;
    },
    get applications() {
      return applications;
    },
    hold: (key) => live.hold(key),
    release: (key) => live.release(key),
    isHeld: (key) => live.isHeld(key),
    onDeployed: (listener) => void listeners.push(listener),
    async goLive() {
      isLive = true;
      await live.apply(current);
    },
    live: (key) => live.find(key),
    async rest() {
      isLive = false;
      await live.stop();
    },
    watch() {
      const trees = new Set([...places.directories, ...places.applications]);
      // Editors replace a file by another one, so a single file is watched through its folder.
      const folders = new Set(places.files.map((file) => dirname(file)));
      const names = new Set(places.files.map((file) => basename(file)));
      const onChange = whenSettled(settleTime.artifacts, attempt);
      const onResource = whenSettled(settleTime.registry, refresh);
      const registry = new Set(places.roots.map(({ directory }) => directory).filter((each) => existsSync(each)));
      watchers = [
        ...[...registry].map((path) => watch(path, { recursive: true, persistent: false }, onResource)),
        ...[...trees].map((path) => watch(path, { recursive: true, persistent: false }, onChange)),
        ...[...folders].map((path) =>
          watch(path, { persistent: false }, (_event, name) => {
            if (name === null || names.has(name)) onChange();
          }),
        ),
      ];
    },
    async [Symbol.asyncDispose]() {
      for (const cancel of cancellations) cancel();
      for (const watcher of watchers) watcher.close();
      await queue;
      isLive = false;
      await live.stop();
      for (const world of [...retiring, current]) await world.stop();
    },
  };
}

/** The file or archive that a problem belongs to. */
function originOf({ position }: Problem): string {
  return archiveOf(position?.file ?? '');
}

/** The file on disk of something that may be inside an archive. */
function archiveOf(file: string): string {
  return file.split('!/', 1)[0] ?? '';
}

/** Files and archives of which nothing was deployed. */
function faultyOrigins({ problems, faultyFiles }: BuiltWorld): Set<string> {
  const isArchive = (file: string): boolean => file.endsWith('.car');
  const errors = problems.filter(({ severity }) => severity === 'error').map(originOf);
  return new Set([...errors.filter(isArchive), ...[...faultyFiles].map(archiveOf)]);
}

function without(sources: Sources, origins: ReadonlySet<string>): Sources {
  return {
    loose: sources.loose.filter(({ file }) => !origins.has(file)),
    applications: sources.applications.filter(({ file }) => !origins.has(archiveOf(file))),
    roots: sources.roots,
  };
}

/** Adds what ran so far under the origins, each where it stands by name. */
function restore(sources: Sources, running: Sources, origins: ReadonlySet<string>): Sources {
  const byFile = (left: { file: string }, right: { file: string }): number => (left.file < right.file ? -1 : 1);
  const old = <T extends { file: string }>(list: readonly T[]): T[] =>
    list.filter(({ file }) => origins.has(archiveOf(file)));
  return {
    loose: [...sources.loose, ...old(running.loose)].sort(byFile),
    applications: [...sources.applications, ...old(running.applications)].sort(byFile),
    roots: sources.roots,
  };
}

function isEqual(left: Sources, right: Sources): boolean {
  const texts = ({ loose, applications }: Sources): string =>
    JSON.stringify([
      loose.map(({ file, text }) => [file, text]),
      applications.map(({ file, fingerprint }) => [file, fingerprint]),
    ]);
  return texts(left) === texts(right);
}

/** True when nothing was compiled anew for a world of the same sources. */
function holdsTheSame(next: World, { artifacts }: World): boolean {
  return [...next.artifacts].every(([key, { compiled }]) => artifacts.get(key)?.compiled === compiled);
}

function logProblems(problems: readonly Problem[]): void {
  for (const problem of problems) {
    const fields = { code: problem.code, at: problem.position };
    if (problem.severity === 'error') log.error(fields, formatProblem(problem));
    else log.warn(fields, formatProblem(problem));
  }
}
