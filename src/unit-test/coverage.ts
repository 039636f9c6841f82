import { formatPosition } from '#errors';
import type { Advice, MediatorPlace } from '#mediation';

/** How much of one artifact ran in a suite. */
export interface ArtifactCoverage {
  /** Such as `api:Orders`. */
  readonly artifact: string;
  readonly executed: number;
  readonly total: number;
  readonly missed: readonly MediatorPlace[];
}

/** Counts which mediators run. */
export interface CoverageRecorder {
  readonly advice: Advice;
  /** What was seen of the artifacts of these files, in the order of their keys. */
  report(files: ReadonlySet<string>): readonly ArtifactCoverage[];
}

/** Makes a recorder; whatever is compiled with its advice is counted. */
export function createCoverage(): CoverageRecorder {
  const known = new Map<string, MediatorPlace>();
  const executed = new Set<string>();
  return {
    advice: {
      around(run, place) {
        known.set(place.id, place);
        return (message) => {
          executed.add(place.id);
          return run(message);
        };
      },
    },
    report(files) {
      const wanted = [...known.values()].filter(({ position }) => files.has(position.file));
      const byArtifact = Map.groupBy(wanted, ({ id }) => artifactOf(id));
      return [...byArtifact].sort(byName).map(([artifact, mediators]) => {
        const missed = mediators.filter(({ id }) => !executed.has(id));
        return { artifact, executed: mediators.length - missed.length, total: mediators.length, missed };
      });
    },
  };
}

/** One mediator that never ran, as text for a person. */
export function describeMissed({ id, element, position }: MediatorPlace): string {
  return `${formatPosition(position)}: <${element}> never ran (${id})`;
}

function artifactOf(id: string): string {
  return id.split('/', 1)[0] ?? '';
}

function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}
