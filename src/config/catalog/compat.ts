import { defineSection, key, type Key } from './define.ts';
import { boolean } from './types.ts';

const behaviour = (name: string, doc: string, effect: string): Key<boolean> =>
  key(name, boolean(), { default: false, additional: true, doc, effect });

/** Switches that choose between the original's behaviour and a better one; the compatibility reference lists them. */
export const compat = defineSection({
  path: 'millrace.compat',
  doc: 'Switches between a behaviour of the original and a better one.',
  keys: {
    losslessJson: behaviour(
      'lossless_json',
      'Any JSON survives the way to XML and back.',
      'elements that would be read as something else carry attributes `type` and `array` of `urn:millrace:json`.',
    ),
    userInfoWithoutCredentials: behaviour(
      'userinfo_without_credentials',
      'User info without credentials is answered as by the original.',
      'true = 400 `invalid_request`, false = 401 with a bare challenge (RFC 6750, 3.1).',
    ),
    introspectionWithoutToken: behaviour(
      'introspection_without_token',
      'Introspection without a token is answered as by the original.',
      'true = the error is `Invalid input`, false = it is `invalid_request`.',
    ),
    revocationOfForeignTokens: behaviour(
      'revocation_of_foreign_tokens',
      "The revocation of another client's token is refused with the status of the original.",
      'true = 401, false = 400, both with `unauthorized_client`.',
    ),
    unknownDeviceCode: behaviour(
      'unknown_device_code',
      "A device code that nobody knows, or that is another client's, is answered as by the original.",
      'true = `invalid_request`, false = `invalid_grant` (RFC 6749, 5.2).',
    ),
    reusedRefreshToken: behaviour(
      'reused_refresh_token',
      'A refresh token that was exchanged before is refused and nothing else happens, as in the original.',
      'false = everything that came of the same sign-in is revoked, too (RFC 9700, 4.14).',
    ),
  },
});
