import { MillraceError } from '#errors';
import { readKeyStoreFile, tlsOptions, type KeyStoreEntry } from '#keystore';
import type { AmqpAddress, AmqpTls } from '#transport';
import type { SourceNode } from '#xml';
import type { CompileContext } from '../../context.ts';
import { createBrokerStore } from '../broker/broker-store.ts';
import type { BrokerStores } from '../broker/broker-stores.ts';
import { createRabbitmqQueue } from '../broker/rabbitmq-queue.ts';
import type { StoreDefinition } from '../definition.ts';
import type { MessageStore } from '../message-store.ts';
import {
  deployedParameter,
  flagParameter,
  integerParameter,
  parameterOf,
  textParameter,
  type Parameters,
} from '../parameters.ts';

const connectionNames: readonly string[] = [
  'rabbitmq.connection.retry.interval',
  'rabbitmq.connection.retry.count',
  'rabbitmq.connection.ssl.enabled',
  'rabbitmq.connection.ssl.keystore.location',
  'rabbitmq.connection.ssl.keystore.type',
  'rabbitmq.connection.ssl.keystore.password',
  'rabbitmq.connection.ssl.truststore.location',
  'rabbitmq.connection.ssl.truststore.type',
  'rabbitmq.connection.ssl.truststore.password',
  'rabbitmq.connection.ssl.version',
];

/** Parameters of a store over RabbitMQ (mediators 9.1); those of the connection may begin with `store.` as well. */
export const rabbitmqParameters: readonly string[] = [
  'store.rabbitmq.host.name',
  'store.rabbitmq.host.port',
  'store.rabbitmq.username',
  'store.rabbitmq.password',
  'store.rabbitmq.virtual.host',
  'store.rabbitmq.queue.name',
  'store.rabbitmq.route.key',
  'store.rabbitmq.exchange.name',
  ...connectionNames,
  ...connectionNames.map((name) => `store.${name}`),
];

const versions: ReadonlyMap<string, AmqpTls['version']> = new Map([
  ['SSL', undefined],
  ['TLS', undefined],
  ['TLSv1.2', 'TLSv1.2'],
  ['TLSv1.3', 'TLSv1.3'],
]);

/** Reports lists of hosts and ports that do not go together, ports that are none, and versions of TLS nobody speaks. */
export function checkRabbitmq(node: SourceNode, parameters: Parameters): void {
  const ports = textParameter(parameters, 'store.rabbitmq.host.port');
  const hosts = textParameter(parameters, 'store.rabbitmq.host.name');
  try {
    if (!isDeployValue(hosts) && !isDeployValue(ports)) membersOf(hosts, ports);
  } catch (error) {
    (parameterOf(parameters, 'store.rabbitmq.host.port')?.node ?? node).error((error as Error).message, {
      code: 'MR_PARAMETER_VALUE',
    });
  }
  for (const name of connectionNames.slice(0, 2)) {
    for (const written of [name, `store.${name}`]) integerParameter(parameters, written, 0);
  }
  const version = parameterOf(parameters, writtenName(parameters, 'rabbitmq.connection.ssl.version'));
  if (version && version.text !== '' && !isDeployValue(version.text) && !versions.has(version.text)) {
    const message = `"${version.name}" must be one of ${[...versions.keys()].join(', ')}, found "${version.text}"`;
    version.node.error(message, { code: 'MR_PARAMETER_VALUE' });
  }
}

/** Opens a store over RabbitMQ. The broker need not be there: it is reached when a message comes. */
export function openRabbitmqStore(definition: StoreDefinition, context: CompileContext): MessageStore {
  const { name, className = '', parameters } = definition;
  const { library, services } = context;
  const { brokers } = services.background;
  const valueOf = (parameter: string): string | undefined =>
    deployedParameter(parameters, writtenName(parameters, parameter), library);
  const queue = valueOf('store.rabbitmq.queue.name') ?? name;
  const account = {
    username: valueOf('store.rabbitmq.username') ?? 'guest',
    password: valueOf('store.rabbitmq.password') ?? 'guest',
    virtualHost: valueOf('store.rabbitmq.virtual.host') ?? '/',
  };
  const isSecured = flagParameter(parameters, writtenName(parameters, 'rabbitmq.connection.ssl.enabled'), false);
  const tls = isSecured ? tlsOf(valueOf, brokers) : undefined;
  const facts = {
    store: name,
    addresses: membersOf(valueOf('store.rabbitmq.host.name'), valueOf('store.rabbitmq.host.port')).map(
      (member): AmqpAddress => ({ ...member, ...account, tls }),
    ),
    route: {
      queue,
      exchange: valueOf('store.rabbitmq.exchange.name') ?? '',
      routingKey: valueOf('store.rabbitmq.route.key') ?? queue,
    },
    retryInterval: wholeNumber(valueOf('rabbitmq.connection.retry.interval'), 30_000),
    retryCount: wholeNumber(valueOf('rabbitmq.connection.retry.count'), 3),
  };
  return brokers.open([className, facts], context, () =>
    createBrokerStore({ name, className, queue: createRabbitmqQueue({ ...facts, clock: brokers.clock }) }),
  );
}

/** The name under which a parameter of the connection is written. */
function writtenName(parameters: Parameters, name: string): string {
  return name.startsWith('rabbitmq.') && parameterOf(parameters, `store.${name}`) ? `store.${name}` : name;
}

/** The members of a cluster: lists of hosts and of ports of one length. @throws MillraceError `MR_STORE_HOSTS` */
function membersOf(hosts = 'localhost', ports = '5672'): readonly { host: string; port: number }[] {
  const names = hosts.split(',').map((each) => each.trim());
  const numbers = ports.split(',').map((each) => each.trim());
  if (names.length !== numbers.length) {
    const found = `found ${names.length} and ${numbers.length}`;
    throw new MillraceError({ code: 'MR_STORE_HOSTS', message: `there must be as many hosts as ports; ${found}` });
  }
  return names.map((host, index) => {
    const port = numbers[index] ?? '';
    if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return { host, port: Number(port) };
    throw new MillraceError({ code: 'MR_STORE_HOSTS', message: `expected the number of a port, found "${port}"` });
  });
}

function tlsOf(valueOf: (name: string) => string | undefined, brokers: BrokerStores): AmqpTls {
  const entriesOf = (kind: string): readonly KeyStoreEntry[] | undefined => {
    const location = valueOf(`rabbitmq.connection.ssl.${kind}.location`);
    if (location === undefined) return undefined;
    const password = valueOf(`rabbitmq.connection.ssl.${kind}.password`) ?? '';
    return readKeyStoreFile({ file: brokers.pathOf(location), password });
  };
  return {
    ...tlsOptions({ keyStore: entriesOf('keystore'), trustStore: entriesOf('truststore') }),
    version: versions.get(valueOf('rabbitmq.connection.ssl.version') ?? 'TLS'),
  };
}

function wholeNumber(text: string | undefined, fallback: number): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : fallback;
}

function isDeployValue(text: string | undefined): boolean {
  return text !== undefined && /^\s*\$/.test(text);
}
