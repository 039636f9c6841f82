import { excerptOf, messageOf, ProblemsError, type Problem } from '#errors';
import type { Advice, Library, MediationServices } from '#mediation';
import type { MessageEnvironment } from '#message';
import type { AnyArtifactKind, Artifact } from './artifact.ts';
import { createCompanions, type Companions } from './companions.ts';
import { compileArtifact, reuseCompilation, type Compilation } from './compilation.ts';
import { connectorsOf, withoutUnused } from './connectors-in-use.ts';
import { createEnvironment, type ExternalValues } from './environment.ts';
import type { LocalEntryValue } from './kinds/index.ts';
import { createLibrary } from './library.ts';
import { reachedArtifacts } from './reached-artifacts.ts';
import { missingReferences } from './missing-references.ts';
import type { ReadResult } from './read.ts';
import type { ArtifactReader } from './reader.ts';
import type { RegistryHandlers } from './registry-handlers.ts';
import { createRegistry, type Registry } from './registry.ts';
import type { ArtifactFile, SourceSet } from './sources.ts';

/** An artifact of a world with its compiled form and the file that it came from. */
export interface DeployedArtifact {
  readonly artifact: Artifact;
  readonly file: string;
  readonly compiled: unknown;
}

/**
 * The compiled form of everything that is deployed. It never changes; a message stays in the world in which it began,
 * and a world that was replaced is disposed when its last message has left.
 */
export interface World {
  /** Counts up with each deployment. */
  readonly number: number;
  readonly artifacts: ReadonlyMap<string, DeployedArtifact>;
  readonly library: Library;
  readonly environment: MessageEnvironment;
  readonly registry: Registry;
  readonly definitions: ReadonlyMap<string, string>;
  /** The compiled artifacts of one kind by name, in deployment order. */
  ofKind(kind: string): ReadonlyMap<string, unknown>;
  /** Counts a message in; the result counts it out. */
  enter(): void;
  leave(): void;
  readonly messages: number;
  /** Resolves when no message is left. */
  retired(): Promise<void>;
  /** Starts what artifacts run besides messages, unless an earlier world did; what could not start is in the result. */
  start(): Promise<readonly Problem[]>;
  /** Stops what no other world has. */
  stop(): Promise<void>;
}

export interface WorldSettings {
  readonly kinds: readonly AnyArtifactKind[];
  readonly services: MediationServices;
  readonly external: ExternalValues;
  /** Artifacts that exist without a file, unless a file replaces them: the sequences `main` and `fault`. */
  readonly builtIn: readonly ArtifactFile[];
  /**
   * Wraps the mediators of artifacts that are measured or traced; asked for each artifact of a new world.
   *
   * @param isReached whether messages come there from an artifact whose messages are followed
   */
  readonly adviceFor?: ((artifact: Artifact, isReached: boolean) => Advice | undefined) | undefined;
  /** True for an artifact whose messages are followed wherever they come to. */
  readonly follows?: ((artifact: Artifact) => boolean) | undefined;
  /** Milliseconds for which registry resources are kept. */
  readonly registryCache: number;
  /** What stands around operations on registry resources. */
  readonly registryHandlers?: RegistryHandlers | undefined;
}

export interface BuiltWorld {
  readonly world: World;
  /** Keys of the artifacts that were compiled; the others keep the compiled form that they had. */
  readonly compiled: readonly string[];
  readonly problems: readonly Problem[];
  /** Files of which nothing was deployed, because something in them is wrong. */
  readonly faultyFiles: ReadonlySet<string>;
}

let worldNumber = 0;

/**
 * Makes a new world of everything that the sources hold. What is compiled already, and holds good, is not compiled
 * again: compiled forms find each other through the world of the message. A file with an error contributes nothing, and
 * neither does an application with such a file; what is wrong is in `problems`, all of it at once.
 */
export function buildWorld(sources: SourceSet, settings: WorldSettings, read: ArtifactReader): BuiltWorld {
  const built = buildOnce(sources, settings, read);
  const isFaulty = ({ file }: ArtifactFile): boolean => built.faultyFiles.has(file);
  const rejected = new Set(sources.files.filter(isFaulty).flatMap(({ application }) => application ?? []));
  if (rejected.size === 0) return built;
  const kept = sources.files.filter(({ application }) => application === undefined || !rejected.has(application));
  const rest = buildOnce({ ...sources, files: kept, problems: [] }, settings, read);
  return {
    world: rest.world,
    compiled: built.compiled.filter((key) => rest.world.artifacts.has(key)),
    problems: [...built.problems, ...[...rejected].map((application) => rejectedApplication(application))],
    faultyFiles: built.faultyFiles,
  };
}

interface Accepted {
  readonly artifact: Artifact;
  readonly file: string;
}

type Refuse = (file: string, problem: Problem) => void;

function buildOnce(sources: SourceSet, settings: WorldSettings, read: ArtifactReader): BuiltWorld {
  const { services } = settings;
  const problems: Problem[] = [...sources.problems];
  const faultyFiles = new Set<string>();
  const refuse: Refuse = (file, problem) => {
    problems.push(problem);
    faultyFiles.add(file);
  };
  const results = withoutUnused(
    [...sources.files, ...settings.builtIn].map((source) => ({ source, result: read(source) })),
  );
  for (const { source, result } of results) {
    problems.push(...result.problems);
    if (result.problems.some((problem) => problem.severity === 'error')) faultyFiles.add(source.file);
  }
  const sound = results.filter(({ source }) => !faultyFiles.has(source.file));
  const accepted = acceptArtifacts(sound, settings, refuse);

  const registry = createRegistry({
    roots: sources.roots,
    packed: sources.packed,
    clock: services.clock,
    cacheDuration: settings.registryCache,
    handlers: settings.registryHandlers,
  });
  const compiled = new Map<string, Map<string, unknown>>();
  const ofKind = (kind: string): Map<string, unknown> => {
    const known = compiled.get(kind) ?? new Map<string, unknown>();
    compiled.set(kind, known);
    return known;
  };
  const localEntries = ofKind('localEntry') as ReadonlyMap<string, LocalEntryValue>;
  const environment = createEnvironment({
    registry,
    localEntries,
    external: settings.external,
    clock: services.clock,
    settings: services.settings,
  });
  const own = createCompanions();
  const connectors = connectorsOf(sound.map(({ source }) => source));
  const library = createLibrary(ofKind, environment, { lifecycle: own, connectors, switches: services.switches });
  const compilations: Compilation[] = [];
  const fresh: string[] = [];
  const artifacts = new Map<string, DeployedArtifact>();
  const followed = accepted.filter(({ artifact }) => settings.follows?.(artifact)).map(({ artifact }) => artifact.key);
  const reached = reachedArtifacts(
    results.map(({ result }) => result),
    followed,
  );
  for (const { artifact, file } of accepted) {
    try {
      const advice = settings.adviceFor?.(artifact, reached.has(artifact.key));
      const parts = { library, services, advice };
      const before = reuseCompilation(artifact, parts);
      const compilation = before ?? compileArtifact(artifact, parts);
      if (!before) fresh.push(artifact.key);
      artifacts.set(artifact.key, { artifact, file, compiled: compilation.compiled });
      ofKind(artifact.kind).set(artifact.name, compilation.compiled);
      compilations.push(compilation);
    } catch (error) {
      for (const problem of problemsOf(error, artifact)) refuse(file, problem);
    }
  }
  const references = results.flatMap(({ result }) => result.references);
  // What is there but broken was reported already.
  const declared = new Set(results.flatMap(({ result }) => result.artifacts.map(({ key }) => key)));
  problems.push(...missingReferences(references, declared, environment));
  const { definitions } = sources;
  return {
    world: createWorld({ artifacts, library, environment, registry, definitions, ofKind, own, compilations }),
    compiled: fresh,
    problems,
    faultyFiles,
  };
}

/** The artifacts to compile, in deployment order, without those whose name or place is taken already. */
function acceptArtifacts(
  results: readonly { source: ArtifactFile; result: ReadResult }[],
  { kinds, builtIn }: WorldSettings,
  refuse: Refuse,
): readonly Accepted[] {
  const accepted = new Map<string, Accepted>();
  for (const { source, result } of results) {
    for (const artifact of result.artifacts) {
      const earlier = accepted.get(artifact.key);
      if (!earlier) accepted.set(artifact.key, { artifact, file: source.file });
      else if (!builtIn.includes(source)) refuse(source.file, duplicateOf(artifact, earlier.file, source.text));
    }
  }
  for (const kind of kinds) {
    const ofKind = [...accepted.values()].filter(({ artifact }) => artifact.kind === kind.element);
    for (const { artifact, message } of kind.conflicts(ofKind.map((each) => each.artifact))) {
      const { file } = artifact.position;
      accepted.delete(artifact.key);
      refuse(file, { code: 'MR_ARTIFACT_CONFLICT', severity: 'error', message, position: artifact.position });
    }
  }
  return [...accepted.values()].sort((left, right) => left.artifact.order - right.artifact.order);
}

/** What keeps an artifact from being compiled, where that is known and else where the artifact begins. */
function problemsOf(error: unknown, { position }: Artifact): readonly Problem[] {
  if (error instanceof ProblemsError) return error.problems;
  return [{ code: 'MR_ARTIFACT_COMPILE', severity: 'error', message: messageOf(error), position }];
}

function rejectedApplication(file: string): Problem {
  return {
    code: 'MR_APPLICATION_REJECTED',
    severity: 'error',
    message: 'the application is not deployed, because a part of it is wrong',
    position: { file, line: 1, column: 1 },
  };
}

interface WorldParts extends Pick<
  World,
  'artifacts' | 'library' | 'environment' | 'registry' | 'definitions' | 'ofKind'
> {
  /** What the world runs for itself alone, compiled with its messages. */
  readonly own: Companions;
  readonly compilations: readonly Compilation[];
}

function createWorld({ own, compilations, ...parts }: WorldParts): World {
  const companions = [own, ...compilations.map((each) => each.companions)];
  let messages = 0;
  let held: readonly Companions[] = [];
  let waiting: (() => void)[] = [];
  return {
    number: ++worldNumber,
    ...parts,
    get messages() {
      return messages;
    },
    enter() {
      messages++;
    },
    leave() {
      messages--;
      if (messages > 0) return;
      for (const resume of waiting) resume();
      waiting = [];
    },
    retired: () => (messages === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    async start() {
      // All at once, before anything waits: what an earlier world shares with this one must not end with it meanwhile.
      for (const each of companions) each.hold();
      held = companions;
      const problems: Problem[] = [];
      for (const each of companions) problems.push(...(await each.begin()));
      if (problems.length === 0) for (const each of compilations) each.moveTo(parts.library);
      return problems;
    },
    async stop() {
      const toRelease = held.toReversed();
      held = [];
      for (const each of toRelease) await each.release();
    },
  };
}

function duplicateOf(artifact: Artifact, earlier: string, text: string): Problem {
  return {
    code: 'MR_ARTIFACT_DUPLICATE',
    severity: 'error',
    message: `Duplicate resource definition by the name ${artifact.name}: ${artifact.key} is already in ${earlier}`,
    position: artifact.position,
    excerpt: excerptOf(text, artifact.position.line),
  };
}
