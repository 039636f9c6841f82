import type { Position } from '#errors';
import { readRemarks, restoreRemarks, type CompileContext, type LiveContext, type ParseContext } from '#mediation';
import { getAttribute, serializeXml, type SourceNode, type XmlElement } from '#xml';

/** One kind of artifact: api, sequence, endpoint, … */
export interface ArtifactKind<D, C = unknown> {
  /** Local name of the root element, and the first part of the artifact's key. */
  readonly element: string;
  /** Folder below the configuration directory, in every layout's spelling. */
  readonly folders: readonly string[];
  /** Position in the deployment order (runtime-core 1.7); lower comes first. */
  readonly order: number;
  /** The name of the artifact; reports its absence. */
  nameOf(node: SourceNode): string;
  parse(node: SourceNode, context: ParseContext): D;
  serialize(definition: D): XmlElement;
  /** Compiles the definition into what the world keeps of it. */
  compile(definition: D, context: CompileContext): C;
  /**
   * Begins what runs by itself while the artifact is part of the current world; disposing ends it and waits for what is
   * under way. It is called when the artifact is new or has changed, not for each world.
   */
  start?(compiled: C, context: LiveContext): LiveArtifact;
  /**
   * What has to stay the same for what runs to go on when the artifact has changed, as text; the whole definition when
   * absent. The rest is read from the current world.
   */
  runsAs?(compiled: C): string;
  /** The element whose `statistics` and `trace` count besides those of the artifact's own; none when absent. */
  observedAt?(node: SourceNode): SourceNode | undefined;
  /** What cannot stand beside what in one world; each finding is reported at the later artifact. */
  conflicts?(definitions: readonly { readonly definition: D; readonly artifact: Artifact }[]): readonly Conflict[];
}

/** What runs for an artifact by itself. */
export interface LiveArtifact extends AsyncDisposable {
  /** Resolves when it has begun, or could not, and does not reject; absent where there is nothing to wait for. */
  readonly begun?: Promise<void>;
  /** Takes over what the artifact has compiled to in a later world, in which it runs as before (`runsAs`). */
  adopt?(compiled: unknown): void;
}

/** Two artifacts of a kind that exclude each other. */
export interface Conflict {
  readonly artifact: Artifact;
  readonly message: string;
}

/** A kind as the registry holds it. */
export interface AnyArtifactKind {
  readonly element: string;
  readonly folders: readonly string[];
  readonly order: number;
  read(node: SourceNode, context: ParseContext): Artifact;
  conflicts(artifacts: readonly Artifact[]): readonly Conflict[];
}

/** How an artifact wants to be observed. */
export interface Observed {
  readonly statistics: boolean;
  readonly trace: boolean;
}

/** A parsed artifact with a key such as `api:Orders`. */
export interface Artifact {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly position: Position;
  readonly order: number;
  serialize(): XmlElement;
  compile(context: CompileContext): unknown;
  /** What the artifact itself asks for by `statistics` and `trace`. */
  readonly observed: Observed;
  /** As text what has to stay the same for what runs by itself to go on; the definition unless its kind says less. */
  runsAs(compiled: unknown): string;
  readonly start?: (compiled: unknown, context: LiveContext) => LiveArtifact;
}

/** Declares a kind of artifact; kinds are listed where the server is put together. */
export function defineArtifact<D, C = unknown>(kind: ArtifactKind<D, C>): AnyArtifactKind {
  const { element, folders, order } = kind;
  const definitions = new WeakMap<Artifact, D>();
  return {
    element,
    folders,
    order,
    read(node, context) {
      const name = kind.nameOf(node);
      const definition = kind.parse(node, context);
      const remarks = readRemarks(node);
      const artifact: Artifact = {
        key: `${element}:${name}`,
        kind: element,
        name,
        position: node.position(),
        order,
        observed: observedBy([node, kind.observedAt?.(node)]),
        serialize: () => restoreRemarks(kind.serialize(definition), remarks),
        compile: (compileContext) => kind.compile(definition, compileContext),
        runsAs: (compiled) => kind.runsAs?.(compiled as C) ?? serializeXml(kind.serialize(definition)),
        ...(kind.start && { start: (compiled, live) => startAs(kind, compiled, live) }),
      };
      definitions.set(artifact, definition);
      return artifact;
    },
    conflicts(artifacts) {
      const pairs = artifacts.flatMap((artifact) => {
        const definition = definitions.get(artifact);
        return definition === undefined ? [] : [{ definition, artifact }];
      });
      return kind.conflicts?.(pairs) ?? [];
    },
  };
}

function observedBy(nodes: readonly (SourceNode | undefined)[]): Observed {
  const isOn = (name: string): boolean => nodes.some((node) => node && getAttribute(node.element, name) === 'enable');
  return { statistics: isOn('statistics'), trace: isOn('trace') };
}

/** What a kind starts is what it compiled. */
function startAs<D, C>(kind: ArtifactKind<D, C>, compiled: unknown, context: LiveContext): LiveArtifact {
  if (!kind.start) throw new Error(`<${kind.element}> starts nothing`);
  return kind.start(compiled as C, context);
}
