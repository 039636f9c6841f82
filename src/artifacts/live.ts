import { getLogger } from '#core';
import type { LiveContext, MediationServices } from '#mediation';
import type { LiveArtifact } from './artifact.ts';
import type { DeployedArtifact, World } from './world.ts';

const log = getLogger('deployment');

/** The artifacts of the current world that run by themselves. */
export interface LiveArtifacts {
  /** What runs for an artifact such as `messageProcessor:Forwarder`; undefined when nothing does. */
  find(key: string): AsyncDisposable | undefined;
  /**
   * Starts what the world has more than the one before, and ends what it has not; what did not change runs on. Resolves
   * when what was started at once has begun.
   */
  apply(world: World): Promise<void>;
  /** Ends what runs for an artifact, and starts it no more until it is released. */
  hold(key: string): void;
  release(key: string): void;
  isHeld(key: string): boolean;
  /** Ends everything, waiting for what is under way. */
  stop(): Promise<void>;
}

interface Running {
  /** The artifact as text, as far as what runs depends on it: another text is another artifact. */
  readonly fingerprint: string;
  readonly live: LiveArtifact;
}

/** Makes the holder of what runs; nothing runs before the first `apply`. */
export function createLiveArtifacts(current: () => World, services: MediationServices): LiveArtifacts {
  const running = new Map<string, Running>();
  /** Ends that are under way, by artifact: its next start waits for them. */
  const ending = new Map<string, Promise<void>>();
  const held = new Set<string>();

  const inWorld: LiveContext['inWorld'] = async (work) => {
    const world = current();
    world.enter();
    try {
      return await work(world);
    } finally {
      world.leave();
    }
  };

  const end = (key: string): void => {
    const old = running.get(key);
    if (!old) return;
    running.delete(key);
    const before = ending.get(key);
    const done = (async () => {
      await before;
      await old.live[Symbol.asyncDispose]();
      log.debug({ artifact: key }, 'ended');
    })()
      .catch((error: unknown) => log.error({ err: error, artifact: key }, 'it did not end cleanly'))
      .finally(() => {
        if (ending.get(key) === done) ending.delete(key);
      });
    ending.set(key, done);
  };

  const start = ({ artifact, compiled }: DeployedArtifact, fingerprint: string): Promise<void> | undefined => {
    const { key } = artifact;
    const live = artifact.start?.(compiled, { id: key, services, inWorld });
    if (live) running.set(key, { fingerprint, live });
    log.debug({ artifact: key }, 'started');
    return live?.begun;
  };

  return {
    find: (key) => running.get(key)?.live,
    async apply(world) {
      const wanted = [...world.artifacts.values()].filter(({ artifact }) => artifact.start !== undefined);
      const fingerprints = new Map(wanted.map((deployed) => [deployed.artifact.key, fingerprintOf(deployed)]));
      for (const [key, { fingerprint }] of running) if (fingerprints.get(key) !== fingerprint) end(key);
      for (const { artifact, compiled } of wanted) running.get(artifact.key)?.live.adopt?.(compiled);
      await Promise.all(
        wanted.map((deployed) => startWhenFree(deployed, fingerprints.get(deployed.artifact.key) ?? '')),
      );
    },
    hold(key) {
      held.add(key);
      end(key);
    },
    release(key) {
      held.delete(key);
      const deployed = current().artifacts.get(key);
      if (deployed?.artifact.start) void startWhenFree(deployed, fingerprintOf(deployed));
    },
    isHeld: (key) => held.has(key),
    async stop() {
      for (const key of running.keys()) end(key);
      await Promise.all(ending.values());
    },
  };

  /** Starts it, when what ran before has ended. */
  async function startWhenFree(deployed: DeployedArtifact, fingerprint: string): Promise<void> {
    const { key } = deployed.artifact;
    if (running.has(key) || held.has(key)) return;
    const before = ending.get(key);
    if (before) void before.then(() => startLater(key, fingerprint));
    else await start(deployed, fingerprint);
  }

  /** Starts what had to wait for its predecessor, unless it was replaced meanwhile. */
  function startLater(key: string, fingerprint: string): void {
    const deployed = current().artifacts.get(key);
    if (!deployed || fingerprintOf(deployed) !== fingerprint || running.has(key) || held.has(key)) return;
    void start(deployed, fingerprint);
  }
}

function fingerprintOf({ artifact, compiled }: DeployedArtifact): string {
  return artifact.runsAs(compiled);
}
