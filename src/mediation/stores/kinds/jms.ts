import { messageOf, MillraceError } from '#errors';
import { jmsProviderOf, lookUpBroker, isNamingName, namingNames, type Naming } from '#transport';
import type { SourceNode } from '#xml';
import type { CompileContext } from '../../context.ts';
import { createBrokerStore } from '../broker/broker-store.ts';
import { createJmsQueue } from '../broker/jms-queue.ts';
import { isDeployValue } from '../../shared/deploy-value.ts';
import type { StoreDefinition } from '../definition.ts';
import type { MessageStore } from '../message-store.ts';
import { flagParameter, integerParameter, parameterOf, textParameter, type Parameters } from '../parameters.ts';

/** Parameters of a store over JMS (mediators 9.1); those with `*` are names of the naming service. */
export const jmsParameters: readonly string[] = [
  ...namingNames,
  'store.jms.destination',
  'store.jms.connection.factory',
  'store.jms.username',
  'store.jms.password',
  'store.jms.JMSSpecVersion',
  'store.jms.cache.connection',
  'store.jms.ConsumerReceiveTimeOut',
];

const versions = ['1.0', '1.1', '2.0', '3.1'];
const factoryName = 'java.naming.factory.initial';

/** Reports what no broker could make good: no naming service, one that is not known, an address that is none. */
export function checkJms(node: SourceNode, parameters: Parameters): void {
  const version = textParameter(parameters, 'store.jms.JMSSpecVersion');
  if (version !== undefined && !isDeployValue(version) && !versions.includes(version)) {
    const message = `"store.jms.JMSSpecVersion" must be one of ${versions.join(', ')}, found "${version}"`;
    (parameterOf(parameters, 'store.jms.JMSSpecVersion')?.node ?? node).error(message, { code: 'MR_PARAMETER_VALUE' });
  }
  integerParameter(parameters, 'store.jms.ConsumerReceiveTimeOut', 0);
  flagParameter(parameters, 'store.jms.cache.connection', false);
  if (textParameter(parameters, factoryName) === undefined && parameterOf(parameters, factoryName)?.key === undefined) {
    return node.error(`the parameter "${factoryName}" is required by a store over JMS`, {
      code: 'MR_PARAMETER_MISSING',
    });
  }
  // What the environment, a resource or a file says is known only when it is deployed.
  const texts = parameters.filter(({ text, key }) => key === undefined && !isDeployValue(text));
  const naming: Naming = { properties: namingProperties(texts, ({ text }) => text), pathOf: (path) => path };
  if (!naming.properties.has(factoryName)) return undefined;
  try {
    const provider = jmsProviderOf(naming);
    const url = naming.properties.get('java.naming.provider.url');
    if (url !== undefined && /^[a-z+]+:/i.test(url) && !url.startsWith('file:')) provider.checkUrl(url);
  } catch (error) {
    const at =
      error instanceof MillraceError && error.code === 'MR_JMS_NAMING' ? factoryName : 'java.naming.provider.url';
    (parameterOf(parameters, at)?.node ?? node).error(messageOf(error), { code: 'MR_PARAMETER_VALUE' });
  }
  return undefined;
}

/** Opens a store over JMS. The broker need not be there: it is reached when a message comes. */
export function openJmsStore(definition: StoreDefinition, context: CompileContext): MessageStore {
  const { name, className = '', parameters } = definition;
  const { services } = context;
  const { brokers } = services.background;
  const valueOf = (parameter: string): string | undefined => textParameter(parameters, parameter);
  const naming: Naming = {
    properties: namingProperties(parameters, (parameter) => valueOf(parameter.name)),
    pathOf: (path) => brokers.pathOf(path),
  };
  const facts = {
    store: name,
    connectionFactory: valueOf('store.jms.connection.factory') ?? 'QueueConnectionFactory',
    destination: valueOf('store.jms.destination') ?? `${name}_Queue`,
    username: valueOf('store.jms.username'),
    password: valueOf('store.jms.password'),
    keepsConnection: flagParameter(parameters, 'store.jms.cache.connection', false),
    receiveTimeout: Math.max(0, integerParameter(parameters, 'store.jms.ConsumerReceiveTimeOut', 6000)),
  };
  const { provider, url } = lookUpBroker(naming, facts.connectionFactory);
  provider.checkUrl(url);
  return brokers.open([className, facts, [...naming.properties]], context, () =>
    createBrokerStore({ name, className, queue: createJmsQueue({ ...facts, naming, clock: brokers.clock }) }),
  );
}

function namingProperties(
  parameters: Parameters,
  valueOf: (parameter: Parameters[number]) => string | undefined,
): ReadonlyMap<string, string> {
  return new Map(
    parameters.flatMap((parameter): [string, string][] => {
      const value = isNamingName(parameter.name) ? valueOf(parameter) : undefined;
      return value === undefined || value === '' ? [] : [[parameter.name, value]];
    }),
  );
}
