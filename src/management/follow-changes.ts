import type { CaptureRequest } from '#mediation';
import type { ArtifactResource } from './artifact-resource.ts';
import { factsOf } from './artifact-facts.ts';
import type { LogLevels } from './log-levels.ts';
import { findArtifact, type ManagedRuntime } from './runtime.ts';

/** A capture as another process has started it; null when it has ended there. */
export interface SpreadCapture {
  readonly request: CaptureRequest;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export interface FollowParts {
  readonly runtime: ManagedRuntime;
  readonly logLevels: LogLevels;
  readonly resources: readonly ArtifactResource[];
}

/** Makes the changes here that people made through another process of the node. */
export function followChanges({ runtime, logLevels, resources }: FollowParts): void {
  const { node, observer, deployer, clock, correlationLog } = runtime;
  node.follow('observe', async (subject, isOn) => {
    const [aspect, key] = partsOf(subject);
    observer.set(key, aspect === 'trace' ? 'trace' : 'statistics', isOn === true);
    await deployer.rebuild();
  });
  node.follow('status', async (subject, isActive) => {
    const [kind, name] = partsOf(subject);
    const resource = resources.find((each) => each.kind === kind);
    const deployed = findArtifact(runtime, kind, name);
    if (deployed) await resource?.status?.set(factsOf(runtime, deployed), isActive === true, runtime);
  });
  node.follow('capture', async (id, state) => {
    const capture = state as SpreadCapture | null;
    const duration = (capture?.until ?? 0) - clock.now();
    if (!capture || duration <= 0) observer.captures.remove(id);
    else observer.captures.add({ ...capture.request, duration }, id);
    await deployer.rebuild();
  });
  node.follow('correlation', (_, isOn) => {
    correlationLog.isOn = isOn === true;
  });
  node.follow('levels', () => logLevels.reread());
  node.follow('vault', (_, secretId) => runtime.setVaultSecretId?.(String(secretId)));
  node.follow('rebuild', () => deployer.rebuild());
}

/** The first word, and what follows it. */
function partsOf(subject: string): [first: string, rest: string] {
  const space = subject.indexOf(' ');
  return [subject.slice(0, space), subject.slice(space + 1)];
}
