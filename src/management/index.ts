export { createFileAccounts, firstOf, type Accounts, type ConfiguredUser } from './accounts.ts';
export { createManagementApi, type ManagementOptions } from './api.ts';
export { fullHeartbeat, type ControlPlaneIdentity } from './control-plane/full-heartbeat.ts';
export type { SpreadCapture } from './follow-changes.ts';
export { startReporting, type ReportingParts } from './control-plane/reporting.ts';
export { createControlPlaneTokens, type ControlPlaneTokens } from './control-plane/token.ts';
export { startHeartbeat, type HeartbeatSettings, type HeartbeatTransport } from './heartbeat.ts';
export { openLogLevels, type LogLevels } from './log-levels.ts';
export {
  ownObservations,
  type CounterList,
  type ManagedNode,
  type NodeChange,
  type NodeObservations,
  type TraceSummary,
} from './node.ts';
export type { Account } from './permissions.ts';
export type { ManagedDataSource, ManagedRuntime, MessageAddress, ProcessControl } from './runtime.ts';
export type { ConfiguredValue, RunningConfiguration } from './resources/configuration.ts';
export { createSignIn, type SignIn } from './sign-in.ts';
export { createTokens, type Session, type SessionShelf, type TokenSettings } from './tokens.ts';
export type { ManagedUser, UserDirectory } from './user-directory.ts';
