import { defineSection, key } from './define.ts';
import { bag, boolean, className, duration, oneOf, text } from './types.ts';

export const oauthGrantTypeAuthorizationCode = defineSection({
  path: 'oauth.grant_type.authorization_code',
  doc: 'The authorization code grant.',
  keys: {
    enable: key('enable', boolean(), {
      default: true,
      doc: 'Offer the grant authorization_code.',
      effect: 'grant accepted at the token endpoint and offered per application; false answers unsupported_grant_type.',
    }),
    grantHandler: key('grant_handler', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Handler class.',
      mapped: 'known class name = built-in; other -> grant handler extension.',
    }),
  },
});

export const oauthGrantTypePassword = defineSection({
  path: 'oauth.grant_type.password',
  doc: 'The password grant.',
  keys: {
    enable: key('enable', boolean(), {
      default: true,
      doc: 'Offer the grant password.',
      effect: 'grant accepted at the token endpoint and offered per application; false answers unsupported_grant_type.',
    }),
    grantHandler: key('grant_handler', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Handler class.',
      mapped: 'known class name = built-in; other -> grant handler extension.',
    }),
  },
});

export const oauthGrantTypeRefreshToken = defineSection({
  path: 'oauth.grant_type.refresh_token',
  doc: 'The refresh token grant.',
  keys: {
    enable: key('enable', boolean(), {
      default: true,
      doc: 'Offer the grant refresh_token.',
      effect: 'grant accepted at the token endpoint and offered per application; false answers unsupported_grant_type.',
    }),
    grantHandler: key('grant_handler', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Handler class.',
      mapped: 'known class name = built-in; other -> grant handler extension.',
    }),
  },
});

export const oauthGrantTypeClientCredentials = defineSection({
  path: 'oauth.grant_type.client_credentials',
  doc: 'The client credentials grant.',
  keys: {
    enable: key('enable', boolean(), {
      default: true,
      doc: 'Offer the grant client_credentials.',
      effect: 'grant accepted at the token endpoint and offered per application; false answers unsupported_grant_type.',
    }),
    grantHandler: key('grant_handler', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Handler class.',
      mapped: 'known class name = built-in; other -> grant handler extension.',
    }),
    allowRefreshTokens: key('allow_refresh_tokens', boolean(), {
      default: false,
      doc: 'Issue refresh tokens.',
      effect: 'refresh_token in the answer.',
    }),
    allowIdToken: key('allow_id_token', boolean(), {
      default: false,
      doc: 'Issue ID tokens.',
      effect: 'id_token when openid is requested.',
    }),
  },
});

export const oauthGrantTypeSamlBearer = defineSection({
  path: 'oauth.grant_type.saml_bearer',
  doc: 'The SAML bearer grant.',
  keys: {
    enable: key('enable', boolean(), {
      default: true,
      doc: 'Offer the grant urn:ietf:params:oauth:grant-type:saml2-bearer.',
      effect: 'grant accepted at the token endpoint and offered per application; false answers unsupported_grant_type.',
    }),
    grantHandler: key('grant_handler', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Handler class.',
      mapped: 'known class name = built-in; other -> grant handler extension.',
    }),
    userType: key('user_type', oneOf('FEDERATED', 'LOCAL', 'LEGACY'), {
      default: 'FEDERATED',
      additional: true,
      doc: 'Whose subjects assertions name.',
      effect:
        'LOCAL and LEGACY look the subject up in the stores of the tenant; FEDERATED keeps it below its provider.',
    }),
  },
});

export const oauthGrantTypeJwt = defineSection({
  path: 'oauth.grant_type.jwt',
  doc: 'Assertions of the JWT bearer grant.',
  keys: {
    enableIatValidation: key('enable_iat_validation', boolean(), {
      default: true,
      additional: true,
      doc: 'Refuse assertions that were made long ago.',
      effect: 'an assertion whose iat is older than iat_validity_period answers invalid_grant.',
    }),
    iatValidityPeriod: key('iat_validity_period', duration('m', { min: 1 }), {
      default: 30,
      additional: true,
      doc: 'How old an assertion may be.',
      effect: 'age of iat from which on an assertion is refused.',
    }),
    enableJwtCache: key('enable_jwt_cache', boolean(), {
      default: false,
      additional: true,
      doc: 'Refuse assertions that came before.',
      inert: 'an assertion with a jti always counts once.',
    }),
  },
});

export const oauthGrantTypeIwaNtlm = defineSection({
  path: 'oauth.grant_type.iwa_ntlm',
  doc: 'The NTLM grant.',
  keys: {
    enable: key('enable', boolean(), {
      default: true,
      doc: 'Offer the grant iwa:ntlm.',
      mapped:
        'offered only when a handler extension is installed (no operating system ticket validation in this runtime); otherwise start-up warning and unsupported_grant_type.',
    }),
    grantHandler: key('grant_handler', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Handler class.',
      mapped: 'known class name = built-in; other -> grant handler extension.',
    }),
    grantValidator: key('grant_validator', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Validator class.',
      mapped: 'as grant_handler.',
    }),
  },
});

export const oauthGrantTypeJwtBearer = defineSection({
  path: 'oauth.grant_type.jwt_bearer',
  doc: 'The JWT bearer grant.',
  keys: {
    enable: key('enable', boolean(), {
      default: true,
      doc: 'Offer the grant urn:ietf:params:oauth:grant-type:jwt-bearer.',
      effect: 'grant accepted at the token endpoint and offered per application; false answers unsupported_grant_type.',
    }),
    grantHandler: key('grant_handler', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Handler class.',
      mapped: 'known class name = built-in; other -> grant handler extension.',
    }),
    grantValidator: key('grant_validator', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Validator class.',
      mapped: 'as grant_handler.',
    }),
  },
});

export const oauthGrantTypeKerberos = defineSection({
  path: 'oauth.grant_type.kerberos',
  doc: 'The Kerberos grant.',
  keys: {
    enable: key('enable', boolean(), {
      default: false,
      doc: 'Offer the grant kerberos.',
      mapped:
        'offered only when a handler extension is installed (no operating system ticket validation in this runtime); otherwise start-up warning and unsupported_grant_type.',
    }),
    grantHandler: key('grant_handler', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Handler class.',
      mapped: 'known class name = built-in; other -> grant handler extension.',
    }),
    grantValidator: key('grant_validator', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Validator class.',
      mapped: 'as grant_handler.',
    }),
  },
});

export const grantType = defineSection({
  path: 'oauth.grant_type.<name>',
  doc: 'Settings of any grant.',
  keys: {
    allowPublicClient: key('allow_public_client', boolean(), {
      default: true,
      note: 'client_credentials has no public clients',
      additional: true,
      doc: 'Clients without secret.',
      effect: 'accept client_id only.',
    }),
  },
});

export const oauthCustomGrantType = defineSection({
  path: 'oauth.custom_grant_type',
  repeated: true,
  doc: 'Further grants.',
  keys: {
    name: key('name', text(), { additional: true, doc: 'Value of grant_type.', mapped: 'registers the grant.' }),
    grantHandler: key('grant_handler', className(), {
      additional: true,
      doc: 'Class of the handler.',
      mapped: 'a module of the extensions.',
    }),
    grantValidator: key('grant_validator', className(), {
      additional: true,
      doc: 'Class of the validator.',
      mapped: 'a module of the extensions.',
    }),
    properties: key('properties', bag(), {
      additional: true,
      doc: 'Parameters of the handler.',
      mapped: 'passed to the module.',
    }),
  },
});
