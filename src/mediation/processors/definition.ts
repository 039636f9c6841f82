import { compileQuartzCron } from '#core/java';
import { messageOf } from '#errors';
import type { SourceNode, XmlElement } from '#xml';
import { readServerNames } from '../background/pinning.ts';
import type { CompileContext, ParseContext } from '../context.ts';
import { synapseElement } from '../reading.ts';
import { isDeployValue } from '../shared/deploy-value.ts';
import {
  appendParameters,
  deployParameters,
  flagParameter,
  integerParameter,
  knowParameters,
  parameterOf,
  readParameters,
  switchParameter,
  textParameter,
  type Parameters,
} from '../stores/parameters.ts';

export type ProcessorKind = 'forwarding' | 'failover' | 'sampling';

const implementations = 'org.apache.synapse.message.processor.impl';

/** The kinds of message processors by the class of the original, the default one first. */
const kinds: ReadonlyMap<string, ProcessorKind> = new Map([
  [`${implementations}.forwarder.ScheduledMessageForwardingProcessor`, 'forwarding'],
  [`${implementations}.failover.FailoverScheduledMessageForwardingProcessor`, 'failover'],
  [`${implementations}.sampler.SamplingProcessor`, 'sampling'],
]);

/** A `<messageProcessor>` with every parameter read (mediators 10); times are in milliseconds. */
export interface ProcessorDefinition {
  readonly name: string;
  readonly className: string | undefined;
  readonly kind: ProcessorKind;
  readonly messageStore: string;
  readonly targetEndpoint: string | undefined;
  readonly parameters: Parameters;
  readonly settings: ProcessorSettings;
}

export interface ProcessorSettings {
  readonly interval: number;
  readonly cron: string | undefined;
  readonly isActive: boolean;
  readonly members: number;
  /** Servers on which it may run; all when empty. */
  readonly pinnedServers: readonly string[];
  readonly retryInterval: number;
  /** 0 or less for no limit. */
  readonly maxAttempts: number;
  readonly drops: boolean;
  readonly failStore: string | undefined;
  readonly replySequence: string | undefined;
  readonly faultSequence: string | undefined;
  readonly deactivateSequence: string | undefined;
  readonly deliveredStatuses: string | undefined;
  /** Pause between messages while a backlog is worked off; undefined takes one message per poll. */
  readonly drainPause: number | undefined;
  /** Negative for no limit. */
  readonly maxStoreAttempts: number;
  readonly storeRetryInterval: number;
  readonly targetStore: string | undefined;
  readonly sequence: string | undefined;
  readonly concurrency: number;
}

/** Every parameter; the last three have no meaning outside of the original and are accepted. */
const parameterNames = new Set(
  `interval cronExpression is.active member.count pinnedServers client.retry.interval
  max.delivery.attempts max.delivery.drop message.processor.failMessagesStore message.processor.reply.sequence message.processor.fault.sequence
  message.processor.deactivate.sequence non.retry.status.codes throttle throttle.interval max.store.connection.attempts
  store.connection.retry.interval message.target.store.name sequence concurrency target.endpoint
  axis2.repo axis2.config quartz.conf`.split(/\s+/),
);

export function parseProcessor(node: SourceNode, context: ParseContext): ProcessorDefinition {
  node.knowOnly(['name', 'class', 'messageStore', 'targetEndpoint', 'description']);
  node.knowOnlyChildren(['parameter', 'description']);
  const className = node.attribute('class');
  const kind = className === undefined ? 'forwarding' : kinds.get(className.trim());
  if (!kind) {
    const message = `There is no message processor of class ${className}; known are ${[...kinds.keys()].join(', ')}`;
    node.error(message, { attribute: 'class', code: 'MR_PROCESSOR_CLASS' });
  }
  const messageStore = node.required('messageStore');
  if (messageStore !== '') {
    context.refer({ kind: 'messageStore', key: messageStore, node, attribute: 'messageStore' });
  }
  const parameters = readParameters(node);
  knowParameters(parameters, (name) => parameterNames.has(name), 'the message processor');
  const targetEndpoint = node.attribute('targetEndpoint');
  if (targetEndpoint !== undefined) {
    context.refer({ kind: 'endpoint', key: targetEndpoint, node, attribute: 'targetEndpoint' });
  }
  const settings = readSettings(parameters);
  const found = kind ?? 'forwarding';
  if (found === 'sampling') demand(node, 'sequence', settings.sequence);
  if (found === 'failover') demand(node, 'message.target.store.name', settings.targetStore);
  referSequences(parameters, context);
  return {
    name: node.attribute('name') ?? '',
    className,
    kind: found,
    messageStore,
    targetEndpoint,
    parameters,
    settings,
  };
}

/**
 * The processor with the values that its parameters have in this deployment.
 *
 * @throws ProblemsError at the place of a parameter that has no value, or one that does not fit
 */
export function compileProcessor(definition: ProcessorDefinition, { library }: CompileContext): ProcessorDefinition {
  const parameters = deployParameters(definition.parameters, library);
  return { ...definition, parameters, settings: readSettings(parameters) };
}

export function serializeProcessor(definition: ProcessorDefinition): XmlElement {
  const { name, className, messageStore, targetEndpoint, parameters } = definition;
  const attributes = { name, class: className, targetEndpoint, messageStore };
  return appendParameters(synapseElement('messageProcessor', attributes), parameters);
}

function readSettings(parameters: Parameters): ProcessorSettings {
  const throttles = flagParameter(parameters, 'throttle', true);
  const throttleInterval = integerParameter(parameters, 'throttle.interval', -1);
  return {
    interval: atLeast(parameters, 'interval', 1000),
    cron: readCron(parameters),
    isActive: flagParameter(parameters, 'is.active', true),
    members: atLeast(parameters, 'member.count', 1),
    pinnedServers: readServerNames(textParameter(parameters, 'pinnedServers')),
    retryInterval: Math.max(0, integerParameter(parameters, 'client.retry.interval', 1000)),
    maxAttempts: integerParameter(parameters, 'max.delivery.attempts', 4),
    drops: switchParameter(parameters, 'max.delivery.drop', ['enabled', 'disabled']) ?? false,
    failStore: textParameter(parameters, 'message.processor.failMessagesStore'),
    replySequence: textParameter(parameters, 'message.processor.reply.sequence'),
    faultSequence: textParameter(parameters, 'message.processor.fault.sequence'),
    deactivateSequence: textParameter(parameters, 'message.processor.deactivate.sequence'),
    deliveredStatuses: textParameter(parameters, 'non.retry.status.codes'),
    drainPause: throttles && throttleInterval >= 0 ? throttleInterval : undefined,
    maxStoreAttempts: integerParameter(parameters, 'max.store.connection.attempts', -1),
    storeRetryInterval: Math.max(0, integerParameter(parameters, 'store.connection.retry.interval', 1000)),
    targetStore: textParameter(parameters, 'message.target.store.name'),
    sequence: textParameter(parameters, 'sequence'),
    concurrency: atLeast(parameters, 'concurrency', 1),
  };
}

/** A whole number of at least one; less is reported. */
function atLeast(parameters: Parameters, name: string, fallback: number): number {
  const value = integerParameter(parameters, name, fallback);
  if (value >= 1) return value;
  const message = `"${name}" must be 1 or more, found ${value}`;
  parameterOf(parameters, name)?.node.error(message, { code: 'MR_PARAMETER_VALUE' });
  return fallback;
}

function readCron(parameters: Parameters): string | undefined {
  const parameter = parameterOf(parameters, 'cronExpression');
  if (!parameter || parameter.text === '' || isDeployValue(parameter.text)) return undefined;
  try {
    compileQuartzCron(parameter.text, 'UTC');
  } catch (error) {
    parameter.node.error(messageOf(error), { code: 'MR_PARAMETER_VALUE' });
    return undefined;
  }
  return parameter.text;
}

function demand(node: SourceNode, name: string, value: string | undefined): void {
  if (value !== undefined) return;
  node.error(`the parameter "${name}" is required by this kind of message processor`, { code: 'MR_PARAMETER_MISSING' });
}

function referSequences(parameters: Parameters, context: ParseContext): void {
  const names = ['reply', 'fault', 'deactivate'].map((part) => `message.processor.${part}.sequence`);
  for (const name of [...names, 'sequence']) {
    const parameter = parameterOf(parameters, name);
    if (!parameter || parameter.text === '' || isDeployValue(parameter.text)) continue;
    context.refer({ kind: 'sequence', key: parameter.text, node: parameter.node, attribute: 'name' });
  }
}
