import type { MessageEnvironment } from '#message';
import type { Library, MediationServices } from '../context.ts';

/** A world as something sees it that runs by itself. */
export interface LiveWorld {
  readonly library: Library;
  readonly environment: MessageEnvironment;
}

/** What an artifact gets that runs by itself, such as a task. It may outlive the world that started it. */
export interface LiveContext {
  /** Key of the artifact, such as `task:Nightly`. */
  readonly id: string;
  readonly services: MediationServices;
  /** Does work in the world that is current when it begins, which stays until the work is done. */
  inWorld<T>(work: (world: LiveWorld) => Promise<T>): Promise<T>;
}
