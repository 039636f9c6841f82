import { readFileSync, statSync } from 'node:fs';
import { MillraceError, messageOf } from '#errors';
import { andesProvider } from './andes/provider.ts';
import type { JmsDestination } from './message.ts';
import { openWireProvider } from './openwire/provider.ts';
import type { JmsProvider } from './provider.ts';
import { qpidProvider } from './qpid/provider.ts';

/** Names under which artifacts look for brokers: the properties of an initial context. */
export interface Naming {
  readonly properties: ReadonlyMap<string, string>;
  /** The place of a file that a property names. */
  pathOf(path: string): string;
}

/** Names of the properties of an initial context; `*` stands for any ending. */
export const namingNames: readonly string[] = [
  'java.naming.*',
  'connectionfactory.*',
  'connectionFactory.*',
  'connectionFactoryNames',
  'connection.*',
  'queue.*',
  'topic.*',
  'destination.*',
];

/** True for the name of a property of an initial context. */
export function isNamingName(name: string): boolean {
  return namingNames.some((known) => (known.endsWith('*') ? name.startsWith(known.slice(0, -1)) : name === known));
}

/** A broker that a name led to. */
export interface NamedBroker {
  readonly provider: JmsProvider;
  readonly url: string;
}

interface Factory {
  readonly provider: JmsProvider;
  /** Names that are connection factories without being declared. */
  readonly wellKnown: readonly string[];
}

const qpid: Factory = { provider: qpidProvider, wellKnown: [] };
const andes: Factory = { provider: andesProvider, wellKnown: [] };

/** Initial context factories of the brokers that artifacts name (libraries 7). */
const factories: ReadonlyMap<string, Factory> = new Map([
  [
    'org.apache.activemq.jndi.ActiveMQInitialContextFactory',
    {
      provider: openWireProvider,
      wellKnown: ['ConnectionFactory', 'QueueConnectionFactory', 'TopicConnectionFactory'],
    },
  ],
  ['org.apache.qpid.jms.jndi.JmsInitialContextFactory', qpid],
  ['org.wso2.andes.jndi.PropertiesFileInitialContextFactory', andes],
  ['org.apache.qpid.jndi.PropertiesFileInitialContextFactory', andes],
]);

const factoryName = 'java.naming.factory.initial';
const urlName = 'java.naming.provider.url';

/** The client for an initial context factory. @throws MillraceError `MR_JMS_NAMING` listing those that there are */
export function jmsProviderOf({ properties }: Naming): JmsProvider {
  return factoryOf(properties).provider;
}

/**
 * Finds a connection factory. The provider URL is the broker's own address, or a properties file with entries such as
 * `connectionfactory.NAME`.
 *
 * @throws MillraceError `MR_JMS_NAMING` for a name that leads nowhere
 */
export function lookUpBroker(naming: Naming, name: string): NamedBroker {
  const { provider, wellKnown } = factoryOf(naming.properties);
  const properties = effective(naming);
  const declared = [`connectionfactory.${name}`, `connection.${name}.brokerURL`, `connectionFactory.${name}`];
  const url = declared.map((key) => properties.get(key)).find((value) => value !== undefined);
  if (url !== undefined) return { provider, url };
  const direct = properties.get(urlName);
  const names = [
    ...wellKnown,
    ...(properties.get('connectionFactoryNames') ?? '').split(',').map((each) => each.trim()),
  ];
  if (direct !== undefined && isAddress(direct) && (names.includes(name) || wellKnown.length === 0)) {
    return { provider, url: direct };
  }
  const known = [...names, ...namesWith(properties, 'connectionfactory.')].filter((each) => each !== '');
  const hint = known.length === 0 ? `declare "connectionfactory.${name}"` : `known are ${known.join(', ')}`;
  throw namingError(`there is no connection factory "${name}"; ${hint}`);
}

/** Finds a queue or topic; a name that is not declared is that of a queue (`queue.NAME`, `dynamicQueues/NAME`). */
export function lookUpDestination(naming: Naming, name: string): JmsDestination {
  const properties = effective(naming);
  const dynamic = /^dynamic(Queue|Topic)s\/(.+)$/.exec(name);
  if (dynamic) return { kind: dynamic[1] === 'Queue' ? 'queue' : 'topic', name: dynamic[2] ?? '' };
  const queue = properties.get(`queue.${name}`) ?? properties.get(`destination.${name}`);
  if (queue !== undefined) return { kind: 'queue', name: queue };
  const topic = properties.get(`topic.${name}`);
  return topic === undefined ? { kind: 'queue', name } : { kind: 'topic', name: topic };
}

function factoryOf(properties: ReadonlyMap<string, string>): Factory {
  const name = properties.get(factoryName)?.trim();
  const factory = factories.get(name ?? '');
  if (factory) return factory;
  const found = name === undefined ? 'there is none' : `found "${name}"`;
  throw namingError(`"${factoryName}" must be one of ${[...factories.keys()].join(', ')}; ${found}`);
}

/** The properties with those of the file that the provider URL names. */
function effective(naming: Naming): ReadonlyMap<string, string> {
  const { properties } = naming;
  const url = properties.get(urlName);
  if (url === undefined || isAddress(url)) return properties;
  const file = naming.pathOf(url.replace(/^file:(?:\/\/)?/, ''));
  try {
    return new Map([...propertiesIn(file), ...properties]);
  } catch (error) {
    // What is declared beside it may be enough.
    if (namesWith(properties, 'connectionfactory.').length > 0) return properties;
    const why = (error as NodeJS.ErrnoException).code ?? messageOf(error);
    throw namingError(`"${urlName}" is neither a broker's address nor a file that can be read: "${url}" (${why})`);
  }
}

/** Whether a provider URL is a broker's address and not the name of a file. */
function isAddress(url: string): boolean {
  return /^[a-z][a-z+]+:/i.test(url) && !/^file:/i.test(url);
}

interface ReadFile {
  readonly modified: number;
  readonly properties: ReadonlyMap<string, string>;
}

/** Files as they were read last: names are looked up for every message, and the files seldom change. */
const files = new Map<string, ReadFile>();

/** The properties in a file. @throws Error of the file system */
function propertiesIn(file: string): ReadonlyMap<string, string> {
  const { mtimeMs: modified } = statSync(file);
  const before = files.get(file);
  if (before?.modified === modified) return before.properties;
  const properties = parseProperties(readFileSync(file, 'utf8'));
  files.set(file, { modified, properties });
  return properties;
}

/** Reads a Java properties file. Colons need no escape in the values that stand here. */
function parseProperties(text: string): ReadonlyMap<string, string> {
  const lines = text.replace(/\\\r?\n[ \t]*/g, '').split(/\r?\n/);
  return new Map(
    lines.flatMap((line): [string, string][] => {
      const match = /^\s*([^#!\s=:][^\s=:]*)\s*[=:\s]\s*(.*)$/.exec(line);
      return match ? [[match[1] ?? '', (match[2] ?? '').replace(/\\([\\:=# !])/g, '$1').trim()]] : [];
    }),
  );
}

function namesWith(properties: ReadonlyMap<string, string>, prefix: string): readonly string[] {
  return [...properties.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
}

function namingError(message: string): MillraceError {
  return new MillraceError({ code: 'MR_JMS_NAMING', message });
}
