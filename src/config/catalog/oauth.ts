import { defineSection, key } from './define.ts';
import { bag, boolean, className, duration, integer, list, oneOf, text } from './types.ts';

export const oauth = defineSection({
  path: 'oauth',
  doc: 'The authorization server.',
  keys: {
    additionalParamsFromErrorUrl: key('additional_params_from_error_url', boolean(), {
      default: false,
      aliases: ['allow_additional_params_from_error_url'],
      doc: 'Extra parameters in the OAuth2 error URL.',
      effect: 'error redirect keeps additional query parameters.',
    }),
    allowedScopes: key('allowed_scopes', list(), {
      doc: 'Scopes allowed without validation.',
      effect: 'full-match patterns; no role or existence check.',
    }),
    timestampSkew: key('timestamp_skew', duration('s'), {
      default: 0,
      doc: 'Clock skew.',
      effect: 'leeway of token expiry checks.',
    }),
    extensionsTokenGenerator: key('extensions.token_generator', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Token issuer.',
      mapped: 'known class names select opaque (UUID) or JWT access tokens; other -> token issuer extension.',
    }),
    extensionsTokenContextGenerator: key('extensions.token_context_generator', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Authorization-context issuer.',
      mapped: 'extension producing the context JWT of validation answers.',
    }),
    extensionsTokenContextClaimRetriever: key('extensions.token_context_claim_retriever', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Claim retriever.',
      mapped: 'a module of the extensions that gives further claims of the context token.',
    }),
    extensionsTokenContextDialectUri: key('extensions.token_context_dialect_uri', text(), {
      default: 'http://wso2.org/claims',
      doc: 'Consumer dialect.',
      effect: 'dialect of claims in that JWT.',
    }),
    tokenValidationAppAccessTokenValidity: key(
      'token_validation.app_access_token_validity',
      duration('s', { min: -1 }),
      { default: 3600, doc: 'Application token life.', effect: 'expires_in of client credentials tokens; -1 = never.' },
    ),
    tokenValidationUserAccessTokenValidity: key(
      'token_validation.user_access_token_validity',
      duration('s', { min: -1 }),
      { default: 3600, doc: 'User token life.', effect: 'expires_in of user tokens; -1 = never.' },
    ),
    tokenValidationRefreshTokenValidity: key('token_validation.refresh_token_validity', duration('s'), {
      default: 86400,
      doc: 'Refresh token life.',
      effect: 'lifetime of refresh tokens.',
    }),
    tokenCleanupEnable: key('token_cleanup.enable', boolean(), {
      default: true,
      doc: 'Clean old invalid tokens.',
      effect: 'on revoke/renew the old row is removed.',
    }),
    tokenCleanupRetainAccessTokensForAuditing: key('token_cleanup.retain_access_tokens_for_auditing', boolean(), {
      default: true,
      note: 'the identity server of the original uses false',
      doc: 'Move to the audit table.',
      effect: 'copy to the audit table first.',
    }),
    tokenValidationAuthorizationCodeValidity: key('token_validation.authorization_code_validity', duration('s'), {
      default: '5m',
      additional: true,
      doc: 'Code life.',
      effect: 'lifetime of authorization codes.',
    }),
    tokenRenewalRenewRefreshToken: key('token_renewal.renew_refresh_token', boolean(), {
      default: true,
      additional: true,
      doc: 'New refresh token on refresh.',
      effect: 'each refresh answers with another refresh token; the old one ends.',
    }),
    tokenRenewalExtendRefreshTokenExpiryTimeOnRenewal: key(
      'token_renewal.extend_refresh_token_expiry_time_on_renewal',
      boolean(),
      {
        default: true,
        additional: true,
        doc: 'Fresh lifetime on rotation.',
        effect: 'otherwise the old expiry is kept.',
      },
    ),
    tokenRenewalRenewAccessTokenPerRequest: key('token_renewal.renew_access_token_per_request', boolean(), {
      default: false,
      additional: true,
      doc: 'New access token per request.',
      effect: 'otherwise an active token of the same client, user and scopes is returned.',
    }),
    extensionsTokenPersistenceProcessor: key('extensions.token_persistence_processor', className(), {
      additional: true,
      doc: 'Token storage.',
      mapped: 'plain, encrypted, hashed by known class name.',
    }),
    endpointsByNameUrl: key('endpoints.<name>_url', bag(), {
      additional: true,
      doc: 'Published endpoint URLs, by the name of the endpoint.',
      effect: 'values of discovery and UI.',
    }),
    endpointsByNamePage: key('endpoints.<name>_page', bag(), {
      additional: true,
      doc: 'Pages of somebody else in place of ours, by the name of the page.',
      effect: 'where browsers are led to for consent, errors and logout.',
    }),
    hashTokensAndSecrets: key('hash_tokens_and_secrets', boolean(), {
      default: false,
      additional: true,
      doc: 'Stores hashes of tokens and client secrets.',
      effect: 'a stolen database shows no token.',
    }),
    hashTokenAlgorithm: key('hash_token_algorithm', text(), {
      default: 'SHA-256',
      additional: true,
      doc: 'Algorithm of these hashes.',
      effect: 'SHA-256 and its larger siblings.',
    }),
    promptConsent: key('prompt_consent', boolean(), {
      additional: true,
      doc: 'Ask for consent.',
      effect: 'a consent page is shown before the code is issued.',
    }),
    defaultRequestedScopes: key('default_requested_scopes', list(), {
      additional: true,
      doc: 'Scopes when none requested.',
      effect: 'default scope list.',
    }),
  },
});

export const oauthOidc = defineSection({
  path: 'oauth.oidc',
  doc: 'OpenID Connect.',
  keys: {
    extensionsIdTokenBuilder: key('extensions.id_token_builder', className(), {
      whenAbsent: 'the built-in one',
      doc: 'ID token builder.',
      mapped: 'a module of the extensions that builds ID tokens.',
    }),
    extensionsClaimCallbackHandler: key('extensions.claim_callback_handler', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Custom-claims callback.',
      mapped: 'a module of the extensions that adds claims to ID tokens.',
    }),
    extensionsUserInfoClaimRetriever: key('extensions.user_info_claim_retriever', className(), {
      whenAbsent: 'the built-in one',
      doc: 'User info claim retriever.',
      mapped: 'a module of the extensions that gives the claims of user info.',
    }),
    userInfoResponseType: key('user_info.response_type', oneOf('json', 'jwt'), {
      default: 'json',
      doc: 'User info response.',
      effect: 'application/json or a signed application/jwt.',
    }),
    tokenValidationIdTokenValidity: key('token_validation.id_token_validity', duration('s'), {
      default: 3600,
      doc: 'ID token life.',
      effect: 'exp of the ID token.',
    }),
    idTokenIssuer: key('id_token.issuer', text(), {
      whenAbsent: 'the URL of the token endpoint',
      doc: 'ID token issuer.',
      effect: 'iss of ID tokens and issuer of discovery.',
    }),
    idTokenSignatureAlgorithm: key(
      'id_token.signature_algorithm',
      oneOf('SHA256withRSA', 'RS256', 'SHA256withECDSA', 'ES256'),
      {
        default: 'SHA256withRSA',
        additional: true,
        doc: 'How tokens are signed.',
        effect: 'alg of access tokens and ID tokens of clients that ask for none.',
      },
    ),
    idTokenRedirectErrorPage: key('id_token.redirect_error_page', boolean(), {
      default: true,
      doc: 'Send to the OAuth2 error page.',
      effect:
        'errors that may not go to the redirect_uri lead to the error page; otherwise they are answered in place.',
    }),
    claimsEnableOidcDialect: key('claims.enable_oidc_dialect', boolean(), {
      default: false,
      doc: 'Convert claims to OIDC dialect.',
      effect: 'mapping of claims taken from assertions.',
    }),
    claimsEnableUnmappedUserAttributes: key('claims.enable_unmapped_user_attributes', boolean(), {
      default: false,
      doc: 'Add unmapped attributes.',
      effect: 'unmapped attributes copied to the ID token.',
    }),
  },
});

export const oauthTokenGeneration = defineSection({
  path: 'oauth.token_generation',
  doc: 'Making of tokens.',
  keys: {
    retryCountOnPersistenceFailures: key('retry_count_on_persistence_failures', integer({ min: 0 }), {
      default: 5,
      doc: 'Retries on an application-key constraint violation.',
      effect: 'retry count when the unique constraint of the token table is hit by concurrent requests.',
    }),
  },
});

export const oauthExtensionsTokenTypes = defineSection({
  path: 'oauth.extensions.token_types',
  repeated: true,
  doc: 'Further kinds of tokens.',
  keys: {
    name: key('name', text(), {
      additional: true,
      doc: 'Name of the kind of token.',
      mapped: 'a client chooses it by ext_token_type.',
    }),
    issuer: key('issuer', className(), {
      additional: true,
      doc: 'Class that makes the tokens.',
      mapped: 'a known class name or a module of the extensions.',
    }),
    persistAccessTokenAlias: key('persist_access_token_alias', boolean(), {
      additional: true,
      doc: 'Stores the alias in place of the token.',
      inert: 'the store holds a hash of the token, or its jti, and never the token where that can be.',
    }),
  },
});

export const sessionDataPersistence = defineSection({
  path: 'session_data.persistence',
  doc: 'Keeping of sessions.',
  keys: {
    persistencePoolSize: key('persistence_pool_size', integer({ min: 0 }), {
      default: 0,
      doc: '0 = synchronous, above 0 = asynchronous with that many threads.',
      mapped: '0 = write in the request; n > 0 = background writer with n concurrent writes and a flush on shutdown.',
    }),
  },
});
