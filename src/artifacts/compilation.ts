import { createCompileContext, joinAdvice, type Advice, type Library, type MediationServices } from '#mediation';
import type { Artifact } from './artifact.ts';
import { createCompanions, type Companions } from './companions.ts';
import { watchLibrary } from './watched-library.ts';

/** The compiled form of an artifact, with what runs beside it. Successive worlds share it as long as it holds good. */
export interface Compilation {
  readonly compiled: unknown;
  readonly companions: Companions;
  /** Makes what it looks at later, besides messages, be that of another world. */
  moveTo(library: Library): void;
}

/** What an artifact is compiled with. */
export interface CompilationParts {
  readonly library: Library;
  readonly services: MediationServices;
  /** Wraps the mediators of the artifact; undefined when nobody looks on. */
  readonly advice: Advice | undefined;
}

interface Known extends Compilation {
  readonly services: MediationServices;
  readonly advice: Advice | undefined;
  seesTheSameIn(library: Library): boolean;
}

/** The last compiled form of each artifact; a definition that was read again is another artifact. */
const known = new WeakMap<Artifact, Known>();

/** The compiled form that an artifact has already, if it holds good with these parts too. */
export function reuseCompilation(
  artifact: Artifact,
  { library, services, advice }: CompilationParts,
): Compilation | undefined {
  const before = known.get(artifact);
  if (!before || before.advice !== advice || before.services !== services) return undefined;
  if (!before.companions.canGoOn || !before.seesTheSameIn(library)) return undefined;
  return before;
}

/** Compiles an artifact. @throws what its kind throws for a definition that cannot be compiled */
export function compileArtifact(artifact: Artifact, { library, services, advice }: CompilationParts): Compilation {
  const companions = createCompanions();
  const watched = watchLibrary(library, companions);
  const own = advice ? { ...services, advice: joinAdvice(services.advice, advice) } : services;
  const compiled = artifact.compile(createCompileContext(artifact.key, watched.library, own));
  const result: Known = {
    compiled,
    companions,
    services,
    advice,
    seesTheSameIn: (other) => watched.seesTheSameIn(other),
    moveTo: (other) => watched.moveTo(other),
  };
  known.set(artifact, result);
  return result;
}
