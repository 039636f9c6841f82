/** The values of `server.server_role`, each with what it turns on (config-catalog 4.1). */
export const roles = [
  'default',
  'api-devportal',
  'api-key-manager',
  'api-publisher',
  'gateway-worker',
  'traffic-manager',
  'control-plane',
] as const;

export type Role = (typeof roles)[number];

/** Every role: for modules that a server always has. */
export const everyRole: readonly Role[] = roles;

/** Roles that issue and check tokens. */
export const identityRoles: readonly Role[] = ['default', 'api-key-manager', 'control-plane'];

/** Roles whose nodes take API traffic. */
export const trafficRoles: readonly Role[] = ['default', 'gateway-worker'];
