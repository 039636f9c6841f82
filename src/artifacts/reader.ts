import type { AnyArtifactKind } from './artifact.ts';
import { readArtifacts, type ReadResult } from './read.ts';
import type { ArtifactFile } from './sources.ts';

/** Reads files into artifacts and remembers what it read, so that a file that did not change is not parsed again. */
export type ArtifactReader = (file: ArtifactFile) => ReadResult;

export function createArtifactReader(kinds: readonly AnyArtifactKind[]): ArtifactReader {
  const known = new Map<string, readonly { text: string; result: ReadResult }[]>();
  return ({ file, text }) => {
    // Two of each: what runs, and what somebody has written since and that may be wrong.
    const [latest, earlier] = known.get(file) ?? [];
    const found = [latest, earlier].find((each) => each?.text === text);
    const wanted = found ?? { text, result: readArtifacts(text, file, kinds) };
    if (wanted !== latest) known.set(file, latest ? [wanted, latest] : [wanted]);
    return wanted.result;
  };
}
