import { createHash } from 'node:crypto';
import { arch, release, totalmem, type } from 'node:os';
import process from 'node:process';
import type { ManagedRuntime } from '../runtime.ts';
import { announcedArtifacts } from './announced-artifacts.ts';

/** How this runtime introduces itself to a control plane (management 2.3). */
export interface ControlPlaneIdentity {
  readonly runtimeId: string;
  /** Name for people; absent where the control plane makes one. */
  readonly runtime: string | undefined;
  readonly environment: string;
  readonly project: string;
  readonly integration: string;
  readonly hostname: string;
  readonly port: number;
}

/** A full heartbeat without its time, and the hash that tells whether anything has changed. */
export interface FullHeartbeat {
  readonly hash: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export const heartbeatVersion = 'v1.0';

/** Describes the runtime as it is now. */
export async function fullHeartbeat(runtime: ManagedRuntime, identity: ControlPlaneIdentity): Promise<FullHeartbeat> {
  const { runtimeId, runtime: name, environment, project, integration, hostname, port } = identity;
  const stable = {
    heartbeatVersion,
    runtimeId,
    ...(name !== undefined && { runtime: name }),
    runtimeType: 'MI',
    status: 'RUNNING',
    environment,
    project,
    component: integration,
    version: runtime.version,
    runtimeHostname: hostname,
    runtimePort: String(port),
    nodeInfo: {
      platformName: 'Millrace',
      platformVersion: runtime.version,
      platformHome: runtime.home.directory,
      osName: type(),
      osVersion: release(),
      osArch: arch(),
      // What runs the server stands in for the original's Java virtual machine.
      javaVersion: process.version,
      javaVendor: 'Node.js',
      carbonHome: runtime.home.directory,
    },
    artifacts: await announcedArtifacts(runtime, runtimeId),
  };
  // Time and memory are not part of the hash: they always change.
  const hash = createHash('md5').update(JSON.stringify(stable)).digest('base64');
  const { heapTotal, heapUsed } = process.memoryUsage();
  const memory = {
    totalMemory: heapTotal,
    freeMemory: heapTotal - heapUsed,
    maxMemory: totalmem(),
    usedMemory: heapUsed,
  };
  return { hash, fields: { ...stable, nodeInfo: { ...stable.nodeInfo, ...memory }, runtimeHash: hash } };
}
