import { defineSection, key } from './define.ts';
import { boolean, className, list, oneOf, secret, text } from './types.ts';

export const apimDevportal = defineSection({
  path: 'apim.devportal',
  doc: 'The developer portal.',
  keys: {
    url: key('url', text(), {
      required: true,
      default: 'https://localhost:${mgt.transport.https.port}/devportal',
      doc: 'Public portal URL.',
      effect: 'callback base of the portal OAuth client, links in mails.',
    }),
    enableApplicationSharing: key('enable_application_sharing', boolean(), {
      default: false,
      doc: 'Share applications by claim.',
      effect: 'users with the same group id see and edit the same applications.',
    }),
    applicationSharingType: key('application_sharing_type', oneOf('default', 'saml'), {
      default: 'default',
      doc: 'Group extraction.',
      effect: 'default = claim of the user, saml = claim in the SAML response.',
    }),
    applicationSharingImpl: key('application_sharing_impl', className(), {
      doc: 'Custom implementation; wins over type.',
      mapped: 'module specifier of a group id extractor extension.',
    }),
    applicationSharingClaim: key('application_sharing_claim', text(), {
      default: 'http://wso2.org/claims/organization',
      doc: 'Grouping claim.',
      effect: 'claim used by the default extractor; comma-separated values give several groups.',
    }),
    loginUsernameCaseInsensitive: key('login_username_case_insensitive', boolean(), {
      default: true,
      doc: 'Case-insensitive login.',
      effect: 'user names compared lower-cased when tokens are matched to application owners.',
    }),
    displayMultipleVersions: key('display_multiple_versions', boolean(), {
      default: false,
      doc: 'List all versions.',
      effect: 'listing shows every version instead of the latest.',
    }),
    displayDeprecatedApis: key('display_deprecated_apis', boolean(), {
      default: false,
      doc: 'List deprecated APIs.',
      effect: 'DEPRECATED appears besides PUBLISHED.',
    }),
    enableComments: key('enable_comments', boolean(), {
      default: true,
      doc: 'Comments.',
      effect: 'feature flag in settings and API (403 when off).',
    }),
    enableRatings: key('enable_ratings', boolean(), {
      default: true,
      doc: 'Star ratings.',
      effect: 'false hides ratings.',
    }),
    enableForum: key('enable_forum', boolean(), { default: true, doc: 'Forum.', effect: 'false hides the forum.' }),
    enableAnonymousMode: key('enable_anonymous_mode', boolean(), {
      default: true,
      additional: true,
      doc: 'Browse without login.',
      effect: 'anonymous listing.',
    }),
    enableCrossTenantSubscriptions: key('enable_cross_tenant_subscriptions', boolean(), {
      default: false,
      additional: true,
      doc: 'Subscribe across tenants.',
      effect: 'listing and subscription policy.',
    }),
    defaultReservedUsername: key('default_reserved_username', text(), {
      default: 'apim_reserved_user',
      additional: true,
      doc: 'Reserved user.',
      effect: 'owner of cross-tenant objects.',
    }),
    enableKeyProvisioning: key('enable_key_provisioning', boolean(), {
      default: false,
      additional: true,
      doc: 'Map existing OAuth clients.',
      effect: 'offers "provide existing keys".',
    }),
  },
});

export const apimDevportalApplicationAttributes = defineSection({
  path: 'apim.devportal.application_attributes',
  repeated: true,
  doc: 'Further attributes of applications.',
  keys: {
    name: key('name', text(), { additional: true, doc: 'Name of the attribute.', effect: 'field of an application.' }),
    description: key('description', text(), {
      additional: true,
      doc: 'Text beside the field.',
      effect: 'shown in the developer portal.',
    }),
    default: key('default', text(), {
      additional: true,
      doc: 'Value when none is given.',
      effect: 'stored with new applications.',
    }),
    required: key('required', boolean(), {
      additional: true,
      doc: 'Whether a value is demanded.',
      effect: 'an application without it is refused.',
    }),
    hidden: key('hidden', boolean(), {
      additional: true,
      doc: 'Whether the field is left out of the portal.',
      effect: 'not shown, yet stored.',
    }),
  },
});

export const apimCors = defineSection({
  path: 'apim.cors',
  doc: 'Cross-origin requests.',
  keys: {
    enable: key('enable', boolean(), {
      default: true,
      doc: 'CORS headers on publisher and gateway.',
      effect: 'gateway answers preflight and adds headers unless the API overrides.',
    }),
    allowOrigins: key('allow_origins', list(), {
      default: ['*'],
      doc: 'Access-Control-Allow-Origin.',
      effect: 'list or comma-separated string; echoes the matching Origin, * only without credentials.',
    }),
    allowMethods: key('allow_methods', list(), {
      default: ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS'],
      doc: 'Allowed methods.',
      effect: 'intersected with the methods the API defines.',
    }),
    allowHeaders: key('allow_headers', list(), {
      default: ['authorization', 'Access-Control-Allow-Origin', 'Content-Type', 'SOAPAction'],
      doc: 'Allowed headers.',
      effect: 'Access-Control-Allow-Headers.',
    }),
    allowCredentials: key('allow_credentials', boolean(), {
      default: false,
      doc: 'Credentials.',
      effect: 'start-up error when true together with origin *.',
    }),
  },
});

export const apimSdk = defineSection({
  path: 'apim.sdk',
  doc: 'Generated client code.',
  keys: {
    groupId: key('group_id', text(), {
      default: 'org.wso2',
      doc: 'Generated project.',
      effect: 'group id of generated SDK projects (pom/package name).',
    }),
    artifactId: key('artifact_id', text(), {
      default: 'org.wso2.client.',
      doc: 'Generated project.',
      effect: 'prefix of the artifact id.',
    }),
    modelPackage: key('model_package', text(), {
      default: 'org.wso2.client.model.',
      doc: 'Generated project.',
      effect: 'package prefix of models.',
    }),
    apiPackage: key('api_package', text(), {
      default: 'org.wso2.client.api.',
      doc: 'Generated project.',
      effect: 'package prefix of operations.',
    }),
    supportedLanguages: key(
      'supported_languages',
      list([
        'android',
        'java',
        'csharp',
        'dart',
        'groovy',
        'javascript',
        'jmeter',
        'perl',
        'php',
        'python',
        'ruby',
        'swift5',
        'clojure',
      ]),
      {
        default: ['android', 'java', 'javascript', 'jmeter'],
        doc: 'Offered languages.',
        mapped:
          'list offered in the portal; languages without a generator are shown as unavailable and the API answers 400.',
      },
    ),
  },
});

export const apimWorkflow = defineSection({
  path: 'apim.workflow',
  doc: 'Approval workflows.',
  keys: {
    enable: key('enable', boolean(), {
      default: false,
      doc: 'API state change workflow.',
      effect: 'switches workflow executors to the external engine.',
    }),
    serviceUrl: key('service_url', text(), {
      default: 'https://localhost:9445/bpmn',
      doc: 'Workflow engine.',
      effect: 'base URL to which process instances are posted.',
    }),
    wfEngineUser: key('wf_engine_user', text(), {
      default: '${admin.username}',
      aliases: ['username'],
      doc: 'Engine user.',
      effect: 'basic authentication.',
    }),
    wfEnginePass: key('wf_engine_pass', secret(), {
      default: '${admin.password}',
      aliases: ['password'],
      doc: 'Engine password.',
      effect: 'basic authentication.',
    }),
    callbackEndpoint: key('callback_endpoint', text(), {
      default: 'https://localhost:${mgt.transport.https.port}/api/am/publisher/v0.14/workflows/update-workflow-status',
      note: 'later versions of the original use /api/am/admin/v4/workflows/update-workflow-status',
      doc: 'Callback.',
      effect: 'URL handed to the engine; the server answers it on every supported version segment.',
    }),
    tokenEndpoint: key('token_endpoint', text(), {
      default: 'https://localhost:${https.nio.port}/token',
      doc: 'Token endpoint.',
      effect: 'handed to the engine.',
    }),
    clientRegistrationEndpoint: key('client_registration_endpoint', text(), {
      default: 'https://localhost:${mgt.transport.https.port}/client-registration/v0.14/register',
      note: 'later versions of the original use v0.17',
      doc: 'DCR endpoint.',
      effect: 'handed to the engine.',
    }),
    clientRegistrationUsername: key('client_registration_username', text(), {
      default: '${admin.username}',
      doc: 'DCR user.',
      effect: 'used to register the workflow client.',
    }),
    clientRegistrationPassword: key('client_registration_password', secret(), {
      default: '${admin.password}',
      doc: 'DCR password.',
      effect: 'belongs to client_registration_username.',
    }),
  },
});
