export { initialPasswordFile, openAdminAccount, type AdminAccount, type InitialPassword } from './admin-account.ts';
export { artifactKinds } from './artifact-kinds.ts';
export { artifactSchema } from './background.ts';
export { builtInArtifacts } from './built-in.ts';
export type { ServerAddress, ServerContext } from './context.ts';
export { notifyServiceManager, type ServiceState } from './notify.ts';
export { roles, type Role } from './roles.ts';
export { readSettings, type ServerSettings } from './settings.ts';
export { startServer, type RunningServer, type ServerOptions } from './start.ts';
