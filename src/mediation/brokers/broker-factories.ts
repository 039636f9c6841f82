import { MillraceError } from '#errors';
import type { BrokerAddress } from './broker-address.ts';

type Scheme = BrokerAddress['scheme'];

/** The connection factories of one kind of broker. */
export interface SchemeFactories {
  /** False where nothing may be sent. */
  readonly isEnabled: boolean;
  /** Parameters of addresses by the name of the factory that has them. */
  readonly named: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** Named ways to brokers, to which addresses refer. */
export type BrokerFactories = Readonly<Record<Scheme, SchemeFactories>>;

export const noBrokerFactories: BrokerFactories = {
  jms: { isEnabled: true, named: new Map() },
  rabbitmq: { isEnabled: true, named: new Map() },
};

/** Parameters of factories, and the parameter of an address that each of them is. */
const parameterNames: Readonly<Record<Scheme, Readonly<Record<string, string>>>> = {
  jms: {
    initial_naming_factory: 'java.naming.factory.initial',
    provider_url: 'java.naming.provider.url',
    naming_security_principal: 'java.naming.security.principal',
    naming_security_credential: 'java.naming.security.credentials',
    connection_factory_name: 'transport.jms.ConnectionFactoryJNDIName',
    connection_factory_type: 'transport.jms.ConnectionFactoryType',
    username: 'transport.jms.UserName',
    password: 'transport.jms.Password',
    destination_type: 'transport.jms.DestinationType',
    default_reply_destination: 'transport.jms.ReplyDestination',
  },
  rabbitmq: {
    hostname: 'rabbitmq.server.host.name',
    port: 'rabbitmq.server.port',
    username: 'rabbitmq.server.user.name',
    password: 'rabbitmq.server.password',
    virtual_host: 'rabbitmq.server.virtual.host',
    queue_name: 'rabbitmq.queue.name',
    queue_durable: 'rabbitmq.queue.durable',
    queue_exclusive: 'rabbitmq.queue.exclusive',
    queue_auto_delete: 'rabbitmq.queue.auto.delete',
    queue_auto_declare: 'rabbitmq.queue.autodeclare',
    queue_delivery_mode: 'rabbitmq.queue.delivery.mode',
    routing_key: 'rabbitmq.queue.routing.key',
    queue_routing_key: 'rabbitmq.queue.routing.key',
    exchange_name: 'rabbitmq.exchange.name',
    exchange_type: 'rabbitmq.exchange.type',
    exchange_durable: 'rabbitmq.exchange.durable',
    exchange_auto_delete: 'rabbitmq.exchange.auto.delete',
    exchange_auto_declare: 'rabbitmq.exchange.autodeclare',
    reply_to_name: 'rabbitmq.replyto.name',
    ssl_enable: 'rabbitmq.connection.ssl.enabled',
    ssl_version: 'rabbitmq.connection.ssl.version',
    keystore_location: 'rabbitmq.connection.ssl.keystore.location',
    keystore_type: 'rabbitmq.connection.ssl.keystore.type',
    keystore_password: 'rabbitmq.connection.ssl.keystore.password',
    truststore_location: 'rabbitmq.connection.ssl.truststore.location',
    truststore_type: 'rabbitmq.connection.ssl.truststore.type',
    truststore_password: 'rabbitmq.connection.ssl.truststore.password',
  },
};

/** What belongs to listeners, to transactions of Java or to pools: connections here are kept and opened again anyway. */
const withoutEffect: ReadonlySet<string> = new Set(
  `cache_level transactionality transaction_jndi_name cache_user_transaction session_transaction
  session_acknowledgement jms_spec_version destination default_destination_type message_selector subscription_durable
  durable_subscriber_client_id durable_subscriber_name pub_sub_local receive_timeout concurrent_consumer
  max_concurrent_consumer idle_task_limit max_message_per_task initial_reconnection_duration reconnect_progress_factor
  max_reconnect_duration reconnect_interval max_jsm_connection max_consumer_error_retrieve_before_delay
  consume_error_delay consume_error_progression vender_class_loader connection_pool_size retry_interval retry_count`.split(
    /\s+/,
  ),
);

/**
 * The parameters of addresses that a factory's are. Names with a dot are those of addresses already; empty values say
 * nothing.
 *
 * @returns also the names that mean nothing to anybody
 */
export function factoryParameters(
  scheme: Scheme,
  given: Iterable<readonly [name: string, value: string]>,
): { readonly parameters: ReadonlyMap<string, string>; readonly unknown: readonly string[] } {
  const names = parameterNames[scheme];
  const parameters = new Map<string, string>();
  const unknown: string[] = [];
  for (const [name, value] of given) {
    const known = name.includes('.') ? name : Object.hasOwn(names, name) ? names[name] : undefined;
    if (known === undefined && !withoutEffect.has(name)) unknown.push(name);
    if (known !== undefined && value !== '') parameters.set(known, value);
  }
  return { parameters, unknown };
}

/**
 * An address with what its factory says where it says nothing itself.
 *
 * @throws MillraceError `MR_BROKER_ADDRESS` when nothing may be sent, or the factory that it names is not there
 */
export function withFactory(address: BrokerAddress, factories: BrokerFactories): BrokerAddress {
  const { scheme, name, parameters } = address;
  const { isEnabled, named } = factories[scheme];
  if (!isEnabled) throw refusal(`the sender for ${scheme}: is off; set [transport.${scheme}] sender_enable = true`);
  const wanted =
    scheme === 'jms'
      ? parameters.get('transport.jms.ConnectionFactory')
      : (parameters.get('rabbitmq.connection.factory') ?? name);
  const factory = wanted === undefined ? undefined : named.get(wanted);
  if (factory) return { ...address, parameters: new Map([...factory, ...parameters]) };
  // An address of RabbitMQ begins with a name in any case, and may say everything itself.
  const isNeeded =
    scheme === 'jms'
      ? wanted !== undefined && !parameters.has('transport.jms.ConnectionFactoryJNDIName')
      : parameters.has('rabbitmq.connection.factory') && !parameters.has('rabbitmq.server.host.name');
  if (!isNeeded) return address;
  const known = named.size === 0 ? 'there is none' : `there are ${[...named.keys()].join(', ')}`;
  throw refusal(`there is no connection factory "${wanted}" in [[transport.${scheme}.sender]]; ${known}`);
}

function refusal(message: string): MillraceError {
  return new MillraceError({ code: 'MR_BROKER_ADDRESS', message });
}
