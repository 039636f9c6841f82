import { defineSection, key } from './define.ts';
import { amount, bag, boolean, integer, list, text } from './types.ts';

export const carbonHealthCheck = defineSection({
  path: 'carbon_health_check',
  doc: 'The health API.',
  keys: {
    enable: key('enable', boolean(), {
      default: false,
      doc: 'Health check API.',
      effect:
        'GET /api/health-check/v1.0/health answers 200 or 503 with the failing checkers, and 200 without checks when off; /healthz and /readyz are always on.',
    }),
  },
});

export const carbonHealthCheckHealthCheckerSuperTenantHealthChecker = defineSection({
  path: 'carbon_health_check.health_checker.super_tenant_health_checker',
  doc: 'The check of the super tenant.',
  keys: {
    enable: key('enable', boolean(), { default: true, doc: 'Checker switch.', effect: 'runs the user store check.' }),
    order: key('order', integer({ min: 0 }), { default: 98, doc: 'Order.', effect: 'lower runs first.' }),
    propertiesMonitoredUserStores: key('properties.monitored.user.stores', list(), {
      whenAbsent: 'all stores',
      aliases: ["properties.'monitored.user.stores'", 'monitored.user.stores'],
      doc: 'User store domains.',
      effect: 'stores asked; absent = all stores, the first one too.',
    }),
  },
});

export const carbonHealthCheckHealthCheckerDataSourceHealthChecker = defineSection({
  path: 'carbon_health_check.health_checker.data_source_health_checker',
  doc: 'The check of data sources.',
  keys: {
    enable: key('enable', boolean(), { default: true, doc: 'Checker switch.', effect: 'runs the pool check.' }),
    order: key('order', integer({ min: 0 }), {
      default: 98,
      note: 'a sample and the original show 97',
      doc: 'Order.',
      effect: 'lower runs first.',
    }),
    propertiesPoolUsageLimitPercentage: key(
      'properties.pool_usage_limit_percentage',
      amount('%', { min: 0, max: 100 }),
      {
        default: 80,
        aliases: ['pool_usage_limit_percentage'],
        doc: 'Pool usage limit.',
        effect: 'unhealthy above this share of active connections.',
      },
    ),
    propertiesMonitoredDatasources: key('properties.monitored.datasources', list(), {
      whenAbsent: 'all data sources',
      aliases: ["properties.'monitored.datasources'", 'monitored.datasources'],
      doc: 'JNDI names.',
      effect: 'pools checked; absent = all.',
    }),
  },
});

export const healthChecker = defineSection({
  path: 'health_checker',
  repeated: true,
  doc: 'Further health checks.',
  keys: {
    name: key('name', text(), {
      doc: 'Name of the checker.',
      mapped: 'a module of the extensions, or a built-in checker.',
    }),
    order: key('order', integer({ min: 0 }), { doc: 'Order.', effect: 'lower runs first.' }),
    properties: key('properties', bag(), { doc: 'Key-value pairs.', effect: 'passed to the checker.' }),
  },
});
