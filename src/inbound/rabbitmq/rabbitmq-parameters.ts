import { MillraceError } from '#errors';
import { rabbitmqMembers, rabbitmqTls, rabbitmqVersions, type RabbitmqMembers } from '#mediation';
import type { AmqpRoute } from '#transport';
import { anyText, flag, required, wholeNumber, word, type ParameterRule } from '../parameter-rules.ts';
import type { ResolvedParameters } from '../parameters.ts';
import { pollingParameters } from '../poll.ts';

const milliseconds = wholeNumber(0);

/** Parameters of `rabbitmq` (mediators 12.3), without `rabbitmq.`; those with `*` are arguments of the broker. */
const rules = {
  'connection.factory': required(anyText),
  'server.host.name': anyText,
  'server.port': anyText,
  'server.user.name': anyText,
  'server.password': anyText,
  'server.virtual.host': anyText,
  'queue.name': required(anyText),
  'queue.durable': flag,
  'queue.exclusive': flag,
  'queue.auto.delete': flag,
  'queue.auto.ack': flag,
  'queue.routing.key': anyText,
  'queue.autodeclare': flag,
  'exchange.name': anyText,
  'exchange.type': word(['direct', 'fanout', 'topic', 'headers', 'x-delayed-message', 'x-consistent-hash'] as const),
  'exchange.durable': flag,
  'exchange.auto.delete': flag,
  'exchange.autodeclare': flag,
  'factory.heartbeat': wholeNumber(0, 65_535),
  'factory.connection.timeout': milliseconds,
  'connection.factory.network.recovery.interval': milliseconds,
  'connection.retry.interval': milliseconds,
  'connection.retry.count': wholeNumber(-1),
  'channel.consumer.qos': wholeNumber(0, 65_535),
  'consumer.tag': anyText,
  'message.content.type': anyText,
  'message.max.dead.lettered.count': wholeNumber(0),
  'message.requeue.delay': milliseconds,
  'message.error.exchange.name': anyText,
  'message.error.queue.routing.key': anyText,
  'connection.ssl.enabled': flag,
  'connection.ssl.keystore.location': anyText,
  'connection.ssl.keystore.type': anyText,
  'connection.ssl.keystore.password': anyText,
  'connection.ssl.truststore.location': anyText,
  'connection.ssl.truststore.type': anyText,
  'connection.ssl.truststore.password': anyText,
  'connection.ssl.version': word([...rabbitmqVersions.keys()]),
} as const;

const prefix = 'rabbitmq.';
const queueArguments = 'rabbitmq.queue.optional.';
const exchangeArguments = 'rabbitmq.exchange.optional.';
// It is taken as messages come: nothing looks for them at times.
const { sequential, coordination, pinnedServers, 'undeployment.grace.timeout': grace } = pollingParameters;

export const rabbitmqParameters = {
  sequential,
  coordination,
  pinnedServers,
  'undeployment.grace.timeout': grace,
  ...Object.fromEntries(Object.entries(rules).map(([name, rule]) => [`${prefix}${name}`, rule])),
  [`${queueArguments}*`]: anyText,
  [`${exchangeArguments}*`]: anyText,
};

/** Everything that an endpoint says about its queue; times are in milliseconds. */
export interface RabbitmqSettings {
  readonly members: RabbitmqMembers;
  readonly route: AmqpRoute;
  /** Whether a message is the broker's no more as soon as it was received. */
  readonly acknowledgesFirst: boolean;
  /** Most messages that wait here; undefined for as many as are mediated at once. */
  readonly prefetch: number | undefined;
  readonly consumerTag: string | undefined;
  readonly contentType: string | undefined;
  /** How often a message may come back from the dead letters; undefined for always. */
  readonly mostDeadLetters: number | undefined;
  /** Pause before a message is given back. */
  readonly requeueDelay: number;
  /** Where a message goes that came back too often; nowhere when undefined. */
  readonly errors: { readonly exchange: string; readonly routingKey: string } | undefined;
}

const defaults = { retryInterval: 30_000, retryCount: 3 } as const;

/** Reads the settings. @throws ProblemsError or MillraceError for values that do not fit */
export function readRabbitmqSettings(
  parameters: ResolvedParameters,
  pathOf: (path: string) => string,
): RabbitmqSettings {
  const get = <N extends keyof typeof rules>(name: N): ReturnType<(typeof rules)[N]['read']> | undefined =>
    parameters.get(`${prefix}${name}`, rules[name] as ParameterRule<ReturnType<(typeof rules)[N]['read']>>);
  const tls =
    get('connection.ssl.enabled') === true ? rabbitmqTls((name) => parameters.get(name, anyText), pathOf) : undefined;
  const account = {
    username: get('server.user.name') ?? 'guest',
    password: get('server.password') ?? 'guest',
    virtualHost: get('server.virtual.host') ?? '/',
    heartbeat: get('factory.heartbeat'),
    connectTimeout: get('factory.connection.timeout'),
    tls,
  };
  const queue = get('queue.name') ?? '';
  const errorKey = get('message.error.queue.routing.key');
  const errorExchange = get('message.error.exchange.name');
  const interval = get('connection.retry.interval') ?? get('connection.factory.network.recovery.interval');
  return {
    members: {
      addresses: rabbitmqMembers(get('server.host.name'), get('server.port')).map((each) => ({ ...each, ...account })),
      retryInterval: interval ?? defaults.retryInterval,
      // It is tried for ever anyway: this says after how many attempts somebody is told.
      retryCount: Math.max(0, get('connection.retry.count') ?? defaults.retryCount),
    },
    route: {
      queue,
      exchange: get('exchange.name') ?? '',
      routingKey: get('queue.routing.key') ?? queue,
      declaresQueue: get('queue.autodeclare') ?? true,
      queueOptions: {
        durable: get('queue.durable') ?? true,
        exclusive: get('queue.exclusive') ?? false,
        autoDelete: get('queue.auto.delete') ?? false,
        arguments: argumentsOf(parameters, queueArguments),
      },
      declaresExchange: get('exchange.autodeclare') ?? true,
      exchangeType: get('exchange.type') ?? 'direct',
      exchangeOptions: {
        durable: get('exchange.durable') ?? true,
        autoDelete: get('exchange.auto.delete') ?? false,
        arguments: argumentsOf(parameters, exchangeArguments),
      },
    },
    acknowledgesFirst: get('queue.auto.ack') ?? false,
    prefetch: get('channel.consumer.qos') || undefined,
    consumerTag: get('consumer.tag'),
    contentType: get('message.content.type'),
    mostDeadLetters: get('message.max.dead.lettered.count'),
    requeueDelay: get('message.requeue.delay') ?? 0,
    errors: errorsOf(errorExchange, errorKey),
  };
}

function errorsOf(exchange: string | undefined, routingKey: string | undefined): RabbitmqSettings['errors'] {
  if (routingKey !== undefined) return { exchange: exchange ?? '', routingKey };
  if (exchange === undefined) return undefined;
  const message = '"rabbitmq.message.error.exchange.name" needs "rabbitmq.message.error.queue.routing.key" beside it';
  throw new MillraceError({ code: 'MR_INBOUND_PARAMETER', message });
}

/** Arguments as the broker reads them: numbers and Booleans are not text to it. */
function argumentsOf(
  parameters: ResolvedParameters,
  start: string,
): Readonly<Record<string, string | number | boolean>> {
  const names = parameters.names.filter((name) => name.startsWith(start));
  return Object.fromEntries(
    names.map((name) => {
      const text = parameters.get(name, anyText) ?? '';
      const value = /^-?\d{1,15}$/.test(text) ? Number(text) : /^(?:true|false)$/i.test(text) ? /^t/i.test(text) : text;
      return [name.slice(start.length), value];
    }),
  );
}
