import type { AmqpAddress } from '#transport';
import type { SourceNode } from '#xml';
import { rabbitmqMembers, rabbitmqTls, rabbitmqVersions } from '../../brokers/rabbitmq-address.ts';
import type { CompileContext } from '../../context.ts';
import { createBrokerStore } from '../broker/broker-store.ts';
import { createRabbitmqQueue } from '../broker/rabbitmq-queue.ts';
import { isDeployValue } from '../../shared/deploy-value.ts';
import type { StoreDefinition } from '../definition.ts';
import type { MessageStore } from '../message-store.ts';
import { flagParameter, integerParameter, parameterOf, textParameter, type Parameters } from '../parameters.ts';

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

/** Reports lists of hosts and ports that do not go together, ports that are none, and versions of TLS nobody speaks. */
export function checkRabbitmq(node: SourceNode, parameters: Parameters): void {
  const ports = textParameter(parameters, 'store.rabbitmq.host.port');
  const hosts = textParameter(parameters, 'store.rabbitmq.host.name');
  try {
    if (!isDeployValue(hosts) && !isDeployValue(ports)) rabbitmqMembers(hosts, ports);
  } catch (error) {
    (parameterOf(parameters, 'store.rabbitmq.host.port')?.node ?? node).error((error as Error).message, {
      code: 'MR_PARAMETER_VALUE',
    });
  }
  for (const name of connectionNames.slice(0, 2)) {
    for (const written of [name, `store.${name}`]) integerParameter(parameters, written, 0);
  }
  flagParameter(parameters, writtenName(parameters, 'rabbitmq.connection.ssl.enabled'), false);
  const version = parameterOf(parameters, writtenName(parameters, 'rabbitmq.connection.ssl.version'));
  if (version && version.text !== '' && !isDeployValue(version.text) && !rabbitmqVersions.has(version.text)) {
    const message = `"${version.name}" must be one of ${[...rabbitmqVersions.keys()].join(', ')}, found "${version.text}"`;
    version.node.error(message, { code: 'MR_PARAMETER_VALUE' });
  }
}

/** Opens a store over RabbitMQ. The broker need not be there: it is reached when a message comes. */
export function openRabbitmqStore(definition: StoreDefinition, context: CompileContext): MessageStore {
  const { name, className = '', parameters } = definition;
  const { services } = context;
  const { brokers } = services.background;
  const valueOf = (parameter: string): string | undefined =>
    textParameter(parameters, writtenName(parameters, parameter));
  const queue = valueOf('store.rabbitmq.queue.name') ?? name;
  const account = {
    username: valueOf('store.rabbitmq.username') ?? 'guest',
    password: valueOf('store.rabbitmq.password') ?? 'guest',
    virtualHost: valueOf('store.rabbitmq.virtual.host') ?? '/',
  };
  const isSecured = flagParameter(parameters, writtenName(parameters, 'rabbitmq.connection.ssl.enabled'), false);
  const tls = isSecured ? rabbitmqTls(valueOf, (path) => brokers.pathOf(path)) : undefined;
  const facts = {
    store: name,
    addresses: rabbitmqMembers(valueOf('store.rabbitmq.host.name'), valueOf('store.rabbitmq.host.port')).map(
      (member): AmqpAddress => ({ ...member, ...account, tls }),
    ),
    route: {
      queue,
      exchange: valueOf('store.rabbitmq.exchange.name') ?? '',
      routingKey: valueOf('store.rabbitmq.route.key') ?? queue,
    },
    retryInterval: countOf(valueOf('rabbitmq.connection.retry.interval'), 30_000),
    retryCount: countOf(valueOf('rabbitmq.connection.retry.count'), 3),
  };
  return brokers.open([className, facts], context, () =>
    createBrokerStore({ name, className, queue: createRabbitmqQueue({ ...facts, clock: brokers.clock }) }),
  );
}

/** The name under which a parameter of the connection is written. */
function writtenName(parameters: Parameters, name: string): string {
  return name.startsWith('rabbitmq.') && parameterOf(parameters, `store.${name}`) ? `store.${name}` : name;
}

function countOf(text: string | undefined, fallback: number): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : fallback;
}
