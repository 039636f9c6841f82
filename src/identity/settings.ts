import { createHash } from 'node:crypto';
import { compileJavaRegex } from '#core/java';
import {
  apimOauthConfig,
  encryption,
  oauth,
  oauthExtensionsTokenTypes,
  oauthGrantTypeJwt,
  oauthGrantTypeSamlBearer,
  oauthOidc,
  oauthTokenGeneration,
  server,
  sessionDataPersistence,
  type Config,
} from '#config';
import { MillraceError } from '#errors';
import { readCompatibility, type Compatibility } from './compat.ts';
import type { SigningKey } from './keys/signing-keys.ts';
import type { AssertionClaimRules } from './providers/assertion-claims.ts';
import type { ProtectionOptions } from './oauth/token-protection.ts';
import type { TokenStoreSettings } from './oauth/token-store-parts.ts';

/** What the authorization server reads of the configuration. Times are in milliseconds, a negative one never ends. */
export interface IdentitySettings {
  /** Address of the server as clients know it, such as `https://localhost:9443`. */
  readonly publicUrl: string;
  /** Issuer of all tenants; the URL of the tenant's token endpoint when undefined. */
  readonly issuer: string | undefined;
  readonly applicationTokenLifetime: number;
  readonly userTokenLifetime: number;
  readonly refreshTokenLifetime: number;
  readonly codeLifetime: number;
  readonly idTokenLifetime: number;
  readonly renewsRefreshToken: boolean;
  readonly extendsRefreshToken: boolean;
  readonly defaultScopes: readonly string[];
  /** True for scopes that are granted to anybody who asks. */
  readonly isAllowedScope: (scope: string) => boolean;
  /** Form of access tokens for clients that say nothing of it. */
  readonly tokenType: 'Default' | 'JWT';
  /** Further kinds of tokens that clients may have, by name, and which of ours they are. */
  readonly tokenTypes: ReadonlyMap<string, 'Default' | 'JWT'>;
  /** Algorithm of tokens, for clients that ask for none. */
  readonly signingAlgorithm: SigningKey['algorithm'];
  readonly promptsConsent: boolean;
  readonly assertions: AssertionSettings;
  readonly userInfoResponse: 'json' | 'jwt';
  readonly tokens: TokenStoreSettings;
  /** How long clients and scopes stay in memory. A change that the log did not tell of is seen after this time. */
  readonly cacheTime: number;
  readonly protection: ProtectionOptions;
  readonly compat: Compatibility;
}

/** How the assertions of identity providers are taken (identity 3.5, 3.6). */
export interface AssertionSettings extends AssertionClaimRules {
  /** Milliseconds since a JWT was made; any age will do when undefined. */
  readonly longestAge: number | undefined;
  /** Milliseconds that the clocks of those who make assertions may differ from ours. */
  readonly skew: number;
  /** The same for tickets of Kerberos. */
  readonly ticketSkew: number;
  /** Whom SAML assertions name: users of the provider, or users of our own stores. */
  readonly samlSubjects: 'federated' | 'local';
}

/**
 * `ownKey` encrypts where the file names no key for that.
 *
 * @throws MillraceError `MR_IDENTITY_CONFIG` for keys that exclude each other, or a scope pattern that is none
 */
export function readIdentitySettings(config: Config, publicUrl: string, ownKey?: Uint8Array): IdentitySettings {
  return {
    publicUrl,
    issuer: config.get(oauthOidc.idTokenIssuer),
    applicationTokenLifetime: config.milliseconds(oauth.tokenValidationAppAccessTokenValidity),
    userTokenLifetime: config.milliseconds(oauth.tokenValidationUserAccessTokenValidity),
    refreshTokenLifetime: config.milliseconds(oauth.tokenValidationRefreshTokenValidity),
    codeLifetime: config.milliseconds(oauth.tokenValidationAuthorizationCodeValidity),
    idTokenLifetime: config.milliseconds(oauthOidc.tokenValidationIdTokenValidity),
    renewsRefreshToken: config.get(oauth.tokenRenewalRenewRefreshToken),
    extendsRefreshToken: config.get(oauth.tokenRenewalExtendRefreshTokenExpiryTimeOnRenewal),
    defaultScopes: config.get(oauth.defaultRequestedScopes) ?? [],
    isAllowedScope: readAllowedScopes(config),
    tokenType: readTokenType(config),
    tokenTypes: readTokenTypes(config),
    signingAlgorithm: /^ES256$|ECDSA$/.test(config.get(oauthOidc.idTokenSignatureAlgorithm)) ? 'ES256' : 'RS256',
    assertions: readAssertions(config),
    promptsConsent: config.get(oauth.promptConsent) ?? true,
    userInfoResponse: config.get(oauthOidc.userInfoResponseType),
    tokens: {
      skew: config.milliseconds(oauth.timestampSkew),
      renewsAccessToken: config.get(oauth.tokenRenewalRenewAccessTokenPerRequest),
      cleansUp: config.get(oauth.tokenCleanupEnable),
      retainsForAudit: config.get(oauth.tokenCleanupRetainAccessTokensForAuditing),
      retries: config.get(oauthTokenGeneration.retryCountOnPersistenceFailures),
      poolSize: config.get(sessionDataPersistence.persistencePoolSize),
    },
    cacheTime: config.milliseconds(server.defaultCacheTimeout),
    protection: readProtection(config, ownKey),
    compat: readCompatibility(config),
  };
}

function readAssertions(config: Config): AssertionSettings {
  // What is not written widens no window.
  const isOwn = config.has(oauth.timestampSkew) || !config.has(server.clockSkew);
  const checksAge = config.get(oauthGrantTypeJwt.enableIatValidation);
  return {
    longestAge: checksAge ? config.milliseconds(oauthGrantTypeJwt.iatValidityPeriod) : undefined,
    skew: config.milliseconds(isOwn ? oauth.timestampSkew : server.clockSkew),
    ticketSkew: config.milliseconds(server.clockSkew),
    samlSubjects: config.get(oauthGrantTypeSamlBearer.userType) === 'FEDERATED' ? 'federated' : 'local',
    usesOidcNames: config.get(oauthOidc.claimsEnableOidcDialect),
    keepsUnmapped: config.get(oauthOidc.claimsEnableUnmappedUserAttributes),
  };
}

/** Both lists count: that of the server and that of API management (identity 4.8). */
function readAllowedScopes(config: Config): (scope: string) => boolean {
  const patterns = [...(config.get(oauth.allowedScopes) ?? []), ...(config.get(apimOauthConfig.allowedScopes) ?? [])];
  const compiled = patterns.map((pattern) => compileJavaRegex(pattern));
  return (scope) => compiled.some((regex) => regex.matches(scope));
}

/** Known token issuers of the original by the end of their class names. */
const tokenTypes: readonly (readonly [suffix: string, type: IdentitySettings['tokenType']])[] = [
  ['JWTTokenIssuer', 'JWT'],
  ['ApimJWTTokenIssuer', 'JWT'],
  ['OauthTokenIssuerImpl', 'Default'],
];

function readTokenType(config: Config): IdentitySettings['tokenType'] {
  const generator = config.get(oauth.extensionsTokenGenerator);
  if (generator === undefined) return 'Default';
  const found = tokenTypes.find(([suffix]) => generator.endsWith(suffix));
  if (found) return found[1];
  throw new MillraceError({
    code: 'MR_IDENTITY_CONFIG',
    message: `oauth.extensions.token_generator: expected a class that ends in ${tokenTypes.map(([name]) => name).join(', ')}, found ${generator}`,
  });
}

/** The kinds of tokens whose class is the original's; others are modules (identity 3.10). */
function readTokenTypes(config: Config): IdentitySettings['tokenTypes'] {
  return new Map(
    config.list(oauthExtensionsTokenTypes).flatMap((reader) => {
      const name = reader.get(oauthExtensionsTokenTypes.name);
      const issuer = reader.get(oauthExtensionsTokenTypes.issuer) ?? '';
      const found = tokenTypes.find(([suffix]) => issuer.startsWith('org.wso2.') && issuer.endsWith(suffix));
      return name === undefined || found === undefined ? [] : [[name, found[1]] as const];
    }),
  );
}

const processorModes: readonly (readonly [suffix: string, mode: ProtectionOptions['mode']])[] = [
  ['PlainTextPersistenceProcessor', 'plain'],
  ['EncryptionDecryptionPersistenceProcessor', 'encrypted'],
  ['HashingPersistenceProcessor', 'hashed'],
];

/** How values are kept (identity 4.3). Two ways at once are refused: the original's meaning would depend on order. */
function readProtection(config: Config, ownKey: Uint8Array | undefined): ProtectionOptions {
  const isHashed = config.get(apimOauthConfig.enableTokenHashing) || config.get(oauth.hashTokensAndSecrets);
  const isEncrypted = config.get(apimOauthConfig.enableTokenEncryption);
  if (isHashed && isEncrypted) {
    throw new MillraceError({
      code: 'MR_IDENTITY_CONFIG',
      message:
        'apim.oauth_config.enable_token_encryption excludes enable_token_hashing and oauth.hash_tokens_and_secrets; choose one',
    });
  }
  const processor = config.get(oauth.extensionsTokenPersistenceProcessor);
  const named =
    processor === undefined ? undefined : processorModes.find(([suffix]) => processor.endsWith(suffix))?.[1];
  if (processor !== undefined && named === undefined) {
    throw new MillraceError({
      code: 'MR_IDENTITY_CONFIG',
      message: `oauth.extensions.token_persistence_processor: expected one of ${processorModes.map(([name]) => name).join(', ')}, found ${processor}`,
    });
  }
  const mode = isHashed ? 'hashed' : isEncrypted ? 'encrypted' : (named ?? 'plain');
  return { mode, algorithm: digestName(config.get(oauth.hashTokenAlgorithm)), key: encryptionKey(config) ?? ownKey };
}

function digestName(javaName: string): string {
  const name = javaName.toLowerCase().replace('-', '');
  if (/^sha(?:256|384|512)$/.test(name)) return name;
  throw new MillraceError({
    code: 'MR_IDENTITY_CONFIG',
    message: `oauth.hash_token_algorithm: expected SHA-256, SHA-384 or SHA-512, found ${javaName}`,
  });
}

/** `[encryption] key` is hexadecimal; of another length it is stretched to what AES-256 takes. */
function encryptionKey(config: Config): Uint8Array | undefined {
  const key = config.get(encryption.type) === 'asymmetric' ? undefined : config.get(encryption.key);
  if (key === undefined) return undefined;
  if (/^[0-9a-f]{64}$/i.test(key)) return Buffer.from(key, 'hex');
  return createHash('sha256').update(key).digest();
}
