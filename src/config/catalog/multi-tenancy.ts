import { defineSection, key } from './define.ts';
import { boolean, duration, integer, list, secret, text } from './types.ts';

export const tenantMgt = defineSection({
  path: 'tenant_mgt',
  doc: 'Tenant domains.',
  keys: {
    enableEmailDomain: key('enable_email_domain', boolean(), {
      default: false,
      doc: 'Email login for tenant users.',
      effect: 'user names may contain @; a tenant user logs in as user@mail@tenant.',
    }),
  },
});

export const multiTenancyStratos = defineSection({
  path: 'multi_tenancy.stratos',
  doc: 'Tenants of the platform.',
  keys: {
    disableTenantManagementEmails: key('disable_tenant_management_emails', boolean(), {
      default: true,
      doc: 'No tenant management emails.',
      effect: 'no mail on tenant creation or activation; tenants are active at once; overrides the two keys below.',
    }),
    emailValidationMandatoryForLogin: key('email_validation_mandatory_for_login', boolean(), {
      default: false,
      doc: 'Mandatory email validation.',
      effect: 'tenant stays inactive until the mailed link is used.',
    }),
    tenantActivationModerated: key('tenant_activation_moderated', boolean(), {
      default: false,
      doc: 'Moderated activation.',
      effect: 'activation mail goes to super_admin_email instead of the tenant.',
    }),
    superAdminEmail: key('super_admin_email', text(), { doc: 'Super admin email.', effect: 'moderator address.' }),
    skipSummaryGenerator: key('skip_summary_generator', boolean(), {
      default: false,
      doc: 'Skip usage summaries.',
      effect: 'no nightly usage summary rows per tenant.',
    }),
    notificationEmail: key('notification_email', text(), {
      doc: 'Event notifications.',
      effect: 'receives tenant creation events.',
    }),
    financeNotificationEmail: key('finance_notification_email', text(), {
      doc: 'Financial notifications.',
      effect: 'receives billing events.',
    }),
    chargeOnRegistration: key('charge_on_registration', boolean(), {
      default: false,
      doc: 'Charge for registration.',
      mapped: 'writes a charge record for the subscription charge of the chosen package.',
    }),
    publicCloudSetup: key('public_cloud_setup', boolean(), {
      default: true,
      doc: 'Public cloud setup.',
      mapped: 'self-registration of tenants offered in the UI.',
    }),
    googleAnalyticsUrl: key('google_analytics_url', text(), {
      aliases: ['<vendor>_analytics_url'],
      doc: 'Web analytics script.',
      mapped: 'script URL added to the console pages (and to their content security policy).',
    }),
    ssoLoadingMessage: key('sso_loading_message', text(), {
      doc: 'SSO message.',
      effect: 'text of the SSO interstitial page.',
    }),
    tenantDomainRegex: key('tenant_domain_regex', text(), {
      additional: true,
      doc: 'Pattern of tenant domains.',
      effect: 'validation of new domains.',
    }),
  },
});

export const multiTenancyStratosPaypal = defineSection({
  path: 'multi_tenancy.stratos.paypal',
  doc: 'The account at the payment provider.',
  keys: {
    url: key('url', text(), {
      doc: 'Url of the payment provider account.',
      inert: 'no payment provider is contacted.',
    }),
    username: key('username', text(), {
      doc: 'Username of the payment provider account.',
      inert: 'no payment provider is contacted.',
    }),
    password: key('password', secret(), {
      doc: 'Password of the payment provider account.',
      inert: 'no payment provider is contacted.',
    }),
    signature: key('signature', secret(), {
      doc: 'Signature of the payment provider account.',
      inert: 'no payment provider is contacted.',
    }),
    environment: key('environment', text(), {
      note: 'a sample shows environment live',
      doc: 'Environment of the payment provider account.',
      inert: 'no payment provider is contacted.',
    }),
  },
});

export const multiTenancyStratosManagerService = defineSection({
  path: 'multi_tenancy.stratos.manager_service',
  doc: 'The tenant manager.',
  keys: {
    url: key('url', text(), {
      doc: 'Manager service.',
      mapped: 'base URL of a central tenant manager; tenant creation is forwarded there when set.',
    }),
    adminUsername: key('admin_username', text(), { doc: 'Manager user.', mapped: 'basic authentication.' }),
    adminPassword: key('admin_password', secret(), { doc: 'Manager password.', mapped: 'basic authentication.' }),
  },
});

export const multiTenancyUsageAgentDataPersistenceTask = defineSection({
  path: 'multi_tenancy.usage_agent.data_persistence_task',
  doc: 'Writing of usage data.',
  keys: {
    startupDelayInMs: key('startup_delay_in_ms', duration('ms'), {
      default: 60000,
      doc: 'Delay of the usage writer.',
      effect: 'first flush of usage counters.',
    }),
    recordsPerExecution: key('records_per_execution', integer({ min: 0 }), {
      default: 100,
      doc: 'Batch size.',
      effect: 'maximum rows per flush.',
    }),
    executionIntervalInMs: key('execution_interval_in_ms', duration('ms', { min: -1 }), {
      default: -1,
      doc: 'Interval.',
      effect: 'flush interval; -1 switches the task off.',
    }),
  },
});

export const multiTenancyThrottlingManagerTasks = defineSection({
  path: 'multi_tenancy.throttling_manager_tasks',
  doc: 'Throttling of tenants.',
  keys: {
    dataProviders: key('data_providers', list(), {
      doc: 'Provider classes.',
      mapped:
        'module specifiers of tenant usage data providers; the two built-in class names (billing, usage) are built in.',
    }),
  },
});

export const multiTenancyThrottlingManagerTasksParameters = defineSection({
  path: 'multi_tenancy.throttling_manager_tasks.parameters',
  doc: 'When tenants are looked at.',
  keys: {
    interval: key('interval', duration('s'), {
      default: 10,
      doc: 'Interval of the task.',
      effect: 'run interval of the tenant limit evaluation.',
    }),
    delay: key('delay', duration('s'), {
      default: 60,
      doc: 'Delay of the task.',
      effect: 'wait before the first run.',
    }),
  },
});

export const multiTenancyCloudServices = defineSection({
  path: 'multi_tenancy.cloud_services',
  repeated: true,
  doc: 'Services offered to tenants.',
  keys: {
    name: key('name', text(), { doc: 'Service name.', effect: 'card in the tenant home page.' }),
    default: key('default', boolean(), {
      default: true,
      doc: 'Enabled by default.',
      effect: 'active for new tenants.',
    }),
    key: key('key', text(), { doc: 'Short key.', effect: 'identifier of the service.' }),
    label: key('label', text(), { doc: 'Label.', effect: 'name that is shown.' }),
    link: key('link', text(), { doc: 'Link.', effect: 'where the entry leads.' }),
    description: key('description', text(), { doc: 'Description.', effect: 'text beside the entry.' }),
  },
});
