import { MillraceError } from '#errors';
import type { Hyphens } from '#mediation';
import { isNamingName, namingNames, type JmsSubscription } from '#transport';
import { anyText, flag, required, wholeNumber, word, type ParameterRule } from '../parameter-rules.ts';
import type { ResolvedParameters } from '../parameters.ts';
import { pollingParameters } from '../poll.ts';

const acknowledgement = word([
  'AUTO_ACKNOWLEDGE',
  'CLIENT_ACKNOWLEDGE',
  'DUPS_OK_ACKNOWLEDGE',
  'SESSION_TRANSACTED',
] as const);
const hyphens = word(['none', 'replace', 'delete'] as const);
const destinationType = word(['queue', 'topic'] as const);
const milliseconds = wholeNumber(0);

/** Parameters of `jms` (mediators 12.3), without `transport.jms.`. */
const rules = {
  ConnectionFactoryJNDIName: required(anyText),
  ConnectionFactoryType: destinationType,
  Destination: anyText,
  DestinationType: destinationType,
  SessionTransacted: flag,
  SessionAcknowledgement: acknowledgement,
  CacheLevel: wholeNumber(0, 5),
  UserName: anyText,
  Password: anyText,
  JMSSpecVersion: word(['1.0', '1.0.2b', '1.1', '2.0', '3.1'] as const),
  SubscriptionDurable: flag,
  DurableSubscriberName: anyText,
  DurableSubscriberClientID: anyText,
  SharedSubscription: flag,
  PubSubNoLocal: flag,
  MessageSelector: anyText,
  ReceiveTimeout: wholeNumber(-1),
  ContentType: anyText,
  ContentTypeProperty: anyText,
  ReplyDestination: anyText,
  'retry.duration': milliseconds,
  RetriesBeforeSuspension: wholeNumber(0),
  PollingSuspensionPeriod: milliseconds,
  ResetConnectionOnPollingSuspension: flag,
  MessagePropertyHyphens: hyphens,
} as const;

const prefix = 'transport.jms.';
const factoryName = 'java.naming.factory.initial';
const urlName = 'java.naming.provider.url';

export const jmsParameters = {
  ...pollingParameters,
  [factoryName]: required(anyText),
  [urlName]: required(anyText),
  'concurrent.consumers': wholeNumber(1),
  ...Object.fromEntries(Object.entries(rules).map(([name, rule]) => [`${prefix}${name}`, rule])),
  ...Object.fromEntries(namingNames.map((name) => [name, anyText])),
};

/** Everything that an endpoint says about its broker; times are in milliseconds. */
export interface JmsSettings {
  /** Properties of the naming service. */
  readonly naming: readonly (readonly [name: string, value: string])[];
  readonly connectionFactory: string;
  readonly destination: string;
  /** What kind of destination it is; found out by its name when undefined. */
  readonly kind: 'queue' | 'topic' | undefined;
  /** Whether a failure gives the message back. */
  readonly isTransacted: boolean;
  /** What stays open between two looks. */
  readonly keeps: 'nothing' | 'connection' | 'consumer';
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly clientId: string | undefined;
  readonly subscription: JmsSubscription;
  readonly receiveTimeout: number;
  readonly contentType: string | undefined;
  readonly contentTypeProperty: string | undefined;
  readonly replyDestination: string | undefined;
  /** Undefined for as many as the endpoint may mediate at once. */
  readonly consumers: number | undefined;
  /** Longest pause before the broker is tried again. */
  readonly retryPause: number;
  /** How many failures in a row suspend the looking; undefined for never. */
  readonly mostFailures: number | undefined;
  readonly suspension: number;
  readonly reconnectsAfterSuspension: boolean;
  readonly hyphens: Hyphens;
}

/** As the original has them. */
const defaults = { receiveTimeout: 1, suspension: 60_000, retryPause: 10_000 } as const;
/** The cache levels (mediators 12.3): none, connection, session, consumer. */
const levels = ['nothing', 'connection', 'connection', 'consumer'] as const;

/** Reads the settings. @throws ProblemsError for values that do not fit */
export function readJmsSettings(parameters: ResolvedParameters, name: string): JmsSettings {
  const get = <N extends keyof typeof rules>(rule: N): ReturnType<(typeof rules)[N]['read']> | undefined =>
    parameters.get(`${prefix}${rule}`, rules[rule] as ParameterRule<ReturnType<(typeof rules)[N]['read']>>);
  // It changes nothing here: what the broker offers is used.
  get('JMSSpecVersion');
  const mode = get('SessionAcknowledgement') ?? 'AUTO_ACKNOWLEDGE';
  const isDurable = get('SubscriptionDurable') ?? false;
  const durableName = get('DurableSubscriberName');
  if (isDurable && durableName === undefined) throw missing('DurableSubscriberName');
  return {
    naming: parameters.names.filter(isNamingName).map((each) => [each, parameters.get(each, anyText) ?? '']),
    connectionFactory: get('ConnectionFactoryJNDIName') ?? '',
    destination: get('Destination') ?? name,
    kind: get('DestinationType') ?? get('ConnectionFactoryType'),
    isTransacted: get('SessionTransacted') === true || ['CLIENT_ACKNOWLEDGE', 'SESSION_TRANSACTED'].includes(mode),
    keeps: levels[get('CacheLevel') ?? 0] ?? 'consumer',
    username: get('UserName'),
    password: get('Password'),
    clientId: get('DurableSubscriberClientID'),
    subscription: {
      selector: get('MessageSelector'),
      durableName: isDurable ? durableName : undefined,
      isShared: get('SharedSubscription') ?? false,
      noLocal: get('PubSubNoLocal') ?? false,
    },
    receiveTimeout: get('ReceiveTimeout') ?? defaults.receiveTimeout,
    contentType: get('ContentType'),
    contentTypeProperty: get('ContentTypeProperty'),
    replyDestination: get('ReplyDestination'),
    consumers: parameters.get('concurrent.consumers', jmsParameters['concurrent.consumers']),
    retryPause: get('retry.duration') ?? defaults.retryPause,
    mostFailures: get('RetriesBeforeSuspension'),
    suspension: get('PollingSuspensionPeriod') ?? defaults.suspension,
    reconnectsAfterSuspension: get('ResetConnectionOnPollingSuspension') ?? false,
    hyphens: get('MessagePropertyHyphens') ?? 'none',
  };
}

function missing(name: string): MillraceError {
  const message = `a durable subscription needs the parameter "${prefix}${name}"`;
  return new MillraceError({ code: 'MR_INBOUND_PARAMETER', message });
}
