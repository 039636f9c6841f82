import { excerptOf, messageOf, ProblemsError, type Problem } from '#errors';
import {
  createCompileContext,
  injectionInto,
  joinAdvice,
  type Advice,
  type Compiled,
  type CompiledEndpoint,
  type CompiledStore,
  type EndpointTemplate,
  type InjectableService,
  type Library,
  type Lifecycle,
  type MediationServices,
  type PriorityExecutor,
  type SequenceTemplate,
} from '#mediation';
import type { MessageEnvironment } from '#message';
import { parseXml, type XmlElement, XmlElement as Element } from '#xml';
import type { AnyArtifactKind, Artifact } from './artifact.ts';
import { createCompanions } from './companions.ts';
import { createEnvironment, type ExternalValues } from './environment.ts';
import { isEnabledImport, type LocalEntryValue } from './kinds/index.ts';
import { readArtifacts, type PlacedReference, type ReadResult } from './read.ts';
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
  /** Starts what artifacts run besides messages; what could not start is in the result. */
  start(): Promise<readonly Problem[]>;
  /** Stops what was started. */
  stop(): Promise<void>;
}

export interface WorldSettings {
  readonly kinds: readonly AnyArtifactKind[];
  readonly services: MediationServices;
  readonly external: ExternalValues;
  /** Artifacts that exist without a file, unless a file replaces them: the sequences `main` and `fault`. */
  readonly builtIn: readonly ArtifactFile[];
  /** Wraps the mediators of artifacts that are measured or traced; asked for each artifact of a new world. */
  readonly adviceFor?: ((artifact: Artifact) => Advice | undefined) | undefined;
  /** Milliseconds for which registry resources are kept. */
  readonly registryCache: number;
  /** What stands around operations on registry resources. */
  readonly registryHandlers?: RegistryHandlers | undefined;
}

export interface BuiltWorld {
  readonly world: World;
  readonly problems: readonly Problem[];
  /** Files of which nothing was deployed, because something in them is wrong. */
  readonly faultyFiles: ReadonlySet<string>;
}

/** Reads files into artifacts and remembers what it read, so that a file that did not change is not parsed again. */
export type ArtifactReader = (file: ArtifactFile) => ReadResult;

export function createArtifactReader(kinds: readonly AnyArtifactKind[]): ArtifactReader {
  const known = new Map<string, { text: string; result: ReadResult }>();
  return ({ file, text }) => {
    const before = known.get(file);
    if (before?.text === text) return before.result;
    const result = readArtifacts(text, file, kinds);
    known.set(file, { text, result });
    return result;
  };
}

let worldNumber = 0;

/**
 * Compiles everything that the sources hold into a new world. A file with an error contributes nothing, and neither
 * does an application with such a file; what is wrong is in `problems`, all of it at once.
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
  const companions = createCompanions();
  const connectors = connectorsOf(sound.map(({ source }) => source));
  const library = createLibrary(ofKind, environment, { lifecycle: companions, connectors });
  const artifacts = new Map<string, DeployedArtifact>();
  for (const { artifact, file } of accepted) {
    try {
      const advice = settings.adviceFor?.(artifact);
      const own = advice ? { ...services, advice: joinAdvice(services.advice, advice) } : services;
      const result = artifact.compile(createCompileContext(artifact.key, library, own));
      artifacts.set(artifact.key, { artifact, file, compiled: result });
      ofKind(artifact.kind).set(artifact.name, result);
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
    world: createWorld({ artifacts, library, environment, registry, definitions, ofKind, ...companions.running }),
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

type WorldParts = Pick<
  World,
  'artifacts' | 'library' | 'environment' | 'registry' | 'definitions' | 'ofKind' | 'start' | 'stop'
>;

function createWorld(parts: WorldParts): World {
  let messages = 0;
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
  };
}

/** Templates of connectors that nothing imports do nothing, whatever is wrong with them (mediators 15). */
function withoutUnused<Result extends { readonly source: ArtifactFile; readonly result: ReadResult }>(
  results: readonly Result[],
): readonly Result[] {
  const imported = new Set(
    results.flatMap(({ result }) => result.artifacts.filter((each) => isEnabledImport(each)).map(({ name }) => name)),
  );
  return results.filter(
    ({ source }) => !source.connector || imported.has(source.connector.id) || source.connector.isImported,
  );
}

/** The operations of each connector, with the names of their templates. */
function connectorsOf(files: readonly ArtifactFile[]): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const connectors = new Map<string, Map<string, string>>();
  for (const { connector } of files) {
    if (!connector) continue;
    const operations = connectors.get(connector.name) ?? new Map<string, string>();
    connectors.set(connector.name, operations.set(connector.operation, connector.template));
  }
  return connectors;
}

interface LibraryParts {
  readonly lifecycle: Lifecycle;
  readonly connectors: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

function createLibrary(
  ofKind: World['ofKind'],
  environment: MessageEnvironment,
  { lifecycle, connectors }: LibraryParts,
): Library {
  const parsed = new Map<string, { readonly text: string; readonly root: XmlElement }>();
  return {
    sequence: (key) => ofKind('sequence').get(key) as Compiled | undefined,
    endpoint: (key) => ofKind('endpoint').get(key) as CompiledEndpoint | undefined,
    sequenceTemplate(name) {
      const template = ofKind('template').get(name) as SequenceTemplate | EndpointTemplate | undefined;
      return template && 'run' in template ? template : undefined;
    },
    endpointTemplate(name) {
      const template = ofKind('template').get(name) as SequenceTemplate | EndpointTemplate | undefined;
      return template && 'body' in template ? template : undefined;
    },
    connector: (name) => connectors.get(name),
    priorityExecutor: (name) => ofKind('priority-executor').get(name) as PriorityExecutor | undefined,
    messageStore: (name) => ofKind('messageStore').get(name) as CompiledStore | undefined,
    proxy: (name) => injectionInto(ofKind('proxy').get(name) as InjectableService | undefined),
    environment,
    external: (scope, name) => environment.external(scope, name),
    configuration: (name) => environment.configuration(name),
    resource: (key) => environment.resource(key),
    lifecycle,
    xmlResource(key) {
      const entry = environment.localEntry(key);
      if (entry instanceof Element) return entry;
      const text = environment.resource(key);
      if (text === undefined) return undefined;
      const known = parsed.get(key);
      if (known?.text === text) return known.root;
      const { root } = parseXml(text, { file: key });
      parsed.set(key, { text, root });
      return root;
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

const artifactKinds = {
  sequence: 'sequence',
  endpoint: 'endpoint',
  template: 'template',
  messageStore: 'messageStore',
} as const;

/** Names that nothing answers to deploy, with a warning: a message that gets there fails. */
function missingReferences(
  references: readonly PlacedReference[],
  declared: ReadonlySet<string>,
  environment: MessageEnvironment,
): Problem[] {
  return references.flatMap(({ kind, key, position, excerpt }) => {
    const isDeclared = kind !== 'resource' && declared.has(`${artifactKinds[kind]}:${key}`);
    if (isDeclared || environment.localEntry(key) !== undefined || isReadable(environment, key)) return [];
    const message = `there is no ${kind} "${key}"`;
    return [{ code: 'MR_REFERENCE_MISSING', severity: 'warning', message, position, excerpt } as const];
  });
}

function isReadable(environment: MessageEnvironment, key: string): boolean {
  try {
    return environment.resource(key) !== undefined;
  } catch {
    // A key that cannot even be looked up does not exist, which is all that this asks.
    return false;
  }
}
