import type { ModuleDefinition } from '#core';
import type { ServerContext } from '../context.ts';
import { background } from './background.ts';
import { dashboard } from './dashboard.ts';
import { debuggerPorts } from './debugger.ts';
import { healthCheck } from './health-check.ts';
import { identity } from './identity.ts';
import { management } from './management.ts';
import { notify } from './notify.ts';
import { runtime } from './runtime.ts';

/** Every module, one line each. */
export const modules: readonly ModuleDefinition<ServerContext>[] = [
  notify,
  debuggerPorts,
  runtime,
  identity,
  healthCheck,
  management,
  dashboard,
  background,
];

/** Names of the modules that run artifacts and let them be watched; the others are for people and tokens. */
export const runtimeModules: ReadonlySet<string> = new Set(
  [debuggerPorts, runtime, management, background].map(({ name }) => name),
);
