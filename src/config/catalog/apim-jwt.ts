import { defineSection, key } from './define.ts';
import { boolean, className, duration, list, oneOf, text } from './types.ts';

export const apimJwt = defineSection({
  path: 'apim.jwt',
  doc: 'The JWT that the gateway sends to back ends.',
  keys: {
    enable: key('enable', boolean(), {
      required: true,
      default: false,
      doc: 'Generate a JWT for the backend.',
      effect: 'gateway adds a signed JWT to the request sent to the backend.',
    }),
    encoding: key('encoding', oneOf('base64', 'base64url'), {
      default: 'base64',
      doc: 'Encoding of the JWT.',
      effect: 'base64 (with padding, RFC 4648 section 4) or base64url for header, payload and signature.',
    }),
    generatorImpl: key('generator_impl', className(), {
      doc: 'Custom generator; encoding is then ignored.',
      mapped:
        'module specifier of a TypeScript extension implementing the backend token generator interface; known class names map to the two built-in encoders.',
    }),
    header: key('header', text(), {
      default: 'X-JWT-Assertion',
      doc: 'Header that carries the JWT.',
      effect: 'request header name toward the backend.',
    }),
    enableUserClaims: key('enable_user_claims', boolean(), {
      default: false,
      doc: 'Include user-store claims.',
      effect: 'adds claims of the end user in claim_dialect.',
    }),
    claimsExtractorImpl: key('claims_extractor_impl', className(), {
      doc: 'Custom claims retriever.',
      mapped: 'module specifier of a claims retriever extension.',
    }),
    claimDialect: key('claim_dialect', text(), {
      default: 'http://wso2.org/claims',
      doc: 'Claim dialect URI.',
      effect: 'prefix of claim names in the JWT and dialect used to read the user store.',
    }),
    signingAlgorithm: key('signing_algorithm', oneOf('SHA256withRSA', 'NONE'), {
      default: 'SHA256withRSA',
      doc: 'Signature; NONE disables signing.',
      effect: 'SHA256withRSA -> RS256 with the primary key; NONE -> alg none, empty signature.',
    }),
    enableClaimRetrieval: key('enable_claim_retrieval', boolean(), {
      aliases: ['apim.jwt.gateway_generator.enable_claim_retrieval'],
      doc: 'Add the authorized user claims to the backend JWT.',
      effect: 'gateway fetches user claims for JWT access tokens before generating the backend JWT.',
    }),
    convertDialect: key('convert_dialect', boolean(), {
      default: false,
      additional: true,
      doc: 'Convert claims of the grant to the dialect.',
      effect: 'maps OIDC claim names to claim_dialect.',
    }),
    expiryTime: key('expiry_time', duration('s'), {
      additional: true,
      doc: 'Lifetime of the backend JWT.',
      effect: 'exp is iat plus this time.',
    }),
    enableTenantBasedSigning: key('enable_tenant_based_signing', boolean(), {
      default: false,
      additional: true,
      doc: 'Sign with the tenant key.',
      effect: 'key of the API provider tenant.',
    }),
    useKidProperty: key('use_kid_property', boolean(), {
      default: true,
      additional: true,
      doc: 'Put kid in the header.',
      effect: 'the header names the key.',
    }),
    useSha256Hash: key('use_sha256_hash', boolean(), {
      default: false,
      additional: true,
      doc: 'x5t#S256 instead of x5t.',
      effect: 'thumbprint header.',
    }),
    gatewayGeneratorExcludedClaims: key('gateway_generator.excluded_claims', list(), {
      additional: true,
      doc: 'Claims left out.',
      effect: 'these claims are not copied.',
    }),
    enableJwksApi: key('enable_jwks_api', boolean(), {
      default: true,
      additional: true,
      doc: 'Publish the signing keys.',
      effect: 'JWKS endpoint of the gateway.',
    }),
  },
});

export const apimJwtIssuer = defineSection({
  path: 'apim.jwt.issuer',
  repeated: true,
  doc: 'Issuers of access tokens from other key managers.',
  keys: {
    name: key('name', text(), {
      doc: 'Issuer name of JWTs of third-party key managers.',
      effect:
        'iss values accepted at the gateway; with jwks.url verified against that key set, otherwise against the trust store alias.',
    }),
  },
});

export const apimJwtIssuerJwks = defineSection({
  path: 'apim.jwt.issuer.jwks',
  doc: 'Keys of such an issuer.',
  keys: {
    url: key('url', text(), {
      doc: 'JWKS endpoint of the issuer.',
      effect: 'remote key set, cached, refreshed on unknown kid.',
    }),
  },
});

export const apimJwtIssuerClaimMapping = defineSection({
  path: 'apim.jwt.issuer.claim_mapping',
  repeated: true,
  doc: 'Claims of such an issuer.',
  keys: {
    remoteClaim: key('remote_claim', text(), { doc: 'Claim in the foreign token.', effect: 'claim that is read.' }),
    localClaim: key('local_claim', text(), {
      doc: 'Local claim it maps to.',
      effect: 'target claim in the backend JWT and in validation data.',
    }),
  },
});
