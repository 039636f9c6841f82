import type { Config } from '#config';
import type { Grant } from '../grant.ts';
import { authorizationCode } from './authorization-code.ts';
import { clientCredentials } from './client-credentials.ts';
import { deviceCode } from './device-code.ts';
import { password } from './password.ts';
import { refreshToken } from './refresh-token.ts';

/** Every grant, one line each. */
export const grants: readonly Grant[] = [authorizationCode, clientCredentials, password, refreshToken, deviceCode];

/** The grants that the configuration leaves on, by the value of `grant_type`. */
export function enabledGrants(config: Config): ReadonlyMap<string, Grant> {
  const enabled = grants.filter(({ enable }) => enable === undefined || config.get(enable));
  return new Map(enabled.map((grant) => [grant.name, grant]));
}
