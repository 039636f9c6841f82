import type { Grant } from '../grant.ts';
import { authorizationCode } from './authorization-code.ts';
import { clientCredentials } from './client-credentials.ts';
import { deviceCode } from './device-code.ts';
import { iwaNtlm } from './iwa-ntlm.ts';
import { jwtBearer } from './jwt-bearer.ts';
import { kerberos } from './kerberos.ts';
import { password } from './password.ts';
import { refreshToken } from './refresh-token.ts';
import { samlBearer } from './saml-bearer.ts';

/** Every grant, one line each. */
export const grants: readonly Grant[] = [
  authorizationCode,
  clientCredentials,
  password,
  refreshToken,
  deviceCode,
  jwtBearer,
  samlBearer,
  iwaNtlm,
  kerberos,
];
