import type { CorsSettings } from '#api';
import type { ArtifactFile } from '#artifacts';
import { stockQuoteDescription, type CorpusFile } from './corpus.ts';
import type { BackEndScript } from './fake-back-end.ts';
import { quiet, startInProcess, type InProcessRuntime } from './in-process.ts';

const cors: CorsSettings = { enabled: true, allowOrigins: [], allowHeaders: '' };
const supportingKinds = new Set(['sequence', 'endpoint', 'template', 'localEntry']);

/** Artifacts that others refer to; those that cannot be deployed are left out, as in a home. */
export function supportingFiles(corpus: readonly CorpusFile[]): readonly CorpusFile[] {
  return corpus.filter(({ kind, errors }) => supportingKinds.has(kind) && errors.length === 0);
}

/** Deploys files beside what they may refer to; every back end answers by `scripts`. */
export function deployWith(
  files: readonly ArtifactFile[],
  supporting: readonly ArtifactFile[],
  scripts: readonly BackEndScript[],
): InProcessRuntime {
  const all = [...files, ...supporting.filter((other) => !files.includes(other))];
  return startInProcess({
    sources: { files: all, packed: [stockQuoteDescription], roots: [], definitions: new Map(), problems: [] },
    scripts,
    cors,
  });
}

/** Sends a request; where the flow waits for the clock, time passes. */
export async function askInTime(runtime: InProcessRuntime, text: string, scheme: 'http' | 'https'): Promise<string> {
  const pending = runtime.exchange(text, scheme);
  for (let turn = 0; turn < 3; turn++) {
    await quiet();
    runtime.clock.advance(200_000);
  }
  return pending;
}

/** What the log says about failures that nothing handled. */
export function unhandledIn(runtime: InProcessRuntime): string[] {
  return runtime.lines.filter((line) => line.includes('nothing handled it'));
}
