import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { server } from '#config';
import type { Home } from '#core';
import { ownObservations, type ManagedDataSource, type ManagedRuntime, type MessageAddress } from '#management';
import { maskText } from '#mediation';
import type { ServerContext } from './context.ts';
import { readDataSources } from './data-sources.ts';
import { runningConfiguration } from './running-configuration.ts';

/** What the management API shows and changes of this server; `hasOwnAccounts` when the configuration has its users. */
export function managedRuntimeOf(context: ServerContext, hasOwnAccounts: boolean): ManagedRuntime {
  const { auditTrail, home, clock, deployer, narratives, steering, config, settings, registryHandlers, node } = context;
  return {
    home,
    clock,
    deployer,
    narratives,
    auditTrail,
    registryHandlers,
    version: productVersion(),
    observer: steering.observer,
    node: {
      worker: node.worker,
      observations: node.observations(ownObservations(steering.observer)),
      spread: (change) => node.spread(change),
      follow: (name, work) => node.follow(name, work),
    },
    switches: steering.switches,
    correlationLog: steering.correlationLog,
    configuration: runningConfiguration(config),
    dataSources: [...readDataSources(config)].map(([name, facts]) => describeSource(name, facts)),
    addresses: () => messageAddresses(context, settings.hostname),
    ownUrl: () => context.addresses.find(({ name }) => name === 'API HTTP')?.url,
    control: context.control,
    disabledActions: [
      ...(config.get(server.disableShutdownFromUi) ? (['shutdown'] as const) : []),
      ...(config.get(server.disableRestartFromUi) ? (['restart'] as const) : []),
    ],
    setVaultSecretId: context.setVaultSecretId,
    get users() {
      return hasOwnAccounts ? undefined : context.userDirectory.current;
    },
  };
}

function messageAddresses({ addresses }: ServerContext, host: string): readonly MessageAddress[] {
  return (['http', 'https'] as const).flatMap((scheme) => {
    const found = addresses.find(({ name }) => name === `API ${scheme.toUpperCase()}`);
    return found ? [{ scheme, host, port: Number(new URL(found.url).port) }] : [];
  });
}

/** The JDBC driver that the original would use, by the start of the URL. */
const drivers: readonly (readonly [start: string, driver: string])[] = [
  ['jdbc:mysql:', 'com.mysql.cj.jdbc.Driver'],
  ['jdbc:mariadb:', 'org.mariadb.jdbc.Driver'],
  ['jdbc:postgresql:', 'org.postgresql.Driver'],
  ['jdbc:sqlserver:', 'com.microsoft.sqlserver.jdbc.SQLServerDriver'],
  ['jdbc:oracle:', 'oracle.jdbc.OracleDriver'],
  ['jdbc:db2:', 'com.ibm.db2.jcc.DB2Driver'],
  ['jdbc:h2:', 'org.h2.Driver'],
];

function describeSource(
  name: string,
  facts: ReturnType<typeof readDataSources> extends ReadonlyMap<string, infer F> ? F : never,
): ManagedDataSource {
  const { pool = {} } = facts;
  const url = maskText(facts.url);
  const driverClass = drivers.find(([start]) => facts.url.startsWith(start))?.[1] ?? '';
  const configurationParameters = {
    isDefaultAutoCommit: pool.defaultAutoCommit ?? true,
    validationQuery: pool.validationQuery ?? '',
    maxActive: pool.maxActive ?? -1,
    maxIdle: pool.maxIdle ?? -1,
    maxWait: pool.maxWait ?? -1,
  };
  const configuration = JSON.stringify({ url, username: facts.username ?? '', driverClassName: driverClass });
  return { name, driverClass, url, userName: facts.username ?? '', configuration, configurationParameters };
}

/** The version in the nearest package.json above this file. */
function productVersion(directory = import.meta.dirname): string {
  try {
    return (JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as { version: string }).version;
  } catch (error) {
    const parent = dirname(directory);
    if (parent === directory) throw error;
    return productVersion(parent);
  }
}

/** The identity of this node that the home keeps, so that a restarted node is the same one to a dashboard. */
export function keptNodeId(home: Home): string {
  const file = join(home.data, 'node-id');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  const id = randomUUID();
  mkdirSync(home.data, { recursive: true });
  writeFileSync(file, `${id}\n`);
  return id;
}
