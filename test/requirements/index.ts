import type { Requirement } from './flows.ts';
import { oauthCore } from './oauth-core.ts';
import { oauthTokens } from './oauth-tokens.ts';
import { oauthExtensions } from './oauth-extensions.ts';
import { oauthSecurity } from './oauth-security.ts';
import { oauthUnsupported } from './oauth-unsupported.ts';
import { oauthSignedRequests } from './oauth-signed-requests.ts';
import { openidConnect } from './openid-connect.ts';
import { scim } from './scim.ts';

export type { Requirement };

/** Every requirement of the standards that is shown to be kept. */
export const requirements: readonly Requirement[] = [
  ...oauthCore,
  ...oauthTokens,
  ...oauthExtensions,
  ...oauthSecurity,
  ...oauthSignedRequests,
  ...oauthUnsupported,
  ...openidConnect,
  ...scim,
];
