import { compat, type Config } from '#config';

/** Where the server does what the original does in place of what the standards want (identity 7.3). */
export interface Compatibility {
  readonly userInfoWithoutCredentials: boolean;
  readonly introspectionWithoutToken: boolean;
  readonly revocationOfForeignTokens: boolean;
  readonly unknownDeviceCode: boolean;
  readonly reusedRefreshToken: boolean;
}

/** Reads the switches of `[millrace.compat]` that are about signing in. */
export function readCompatibility(config: Config): Compatibility {
  return {
    userInfoWithoutCredentials: config.get(compat.userInfoWithoutCredentials),
    introspectionWithoutToken: config.get(compat.introspectionWithoutToken),
    revocationOfForeignTokens: config.get(compat.revocationOfForeignTokens),
    unknownDeviceCode: config.get(compat.unknownDeviceCode),
    reusedRefreshToken: config.get(compat.reusedRefreshToken),
  };
}
