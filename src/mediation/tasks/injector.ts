import { getLogger } from '#core';
import { MillraceError, messageOf } from '#errors';
import { Message, Payload, setHeader, setProperty } from '#message';
import { XmlElement } from '#xml';
import { BackgroundExchange } from '../background/exchange.ts';
import type { LiveContext, LiveWorld } from '../background/live.ts';
import { runInBackground } from '../background/run.ts';
import type { Compiled } from '../mediator.ts';
import type { FlowCallback } from '../extension/flow-handlers.ts';
import { STOP } from '../flow.ts';
import type { CompiledTask } from './definition.ts';
import { fillMessage } from './fill-message.ts';
import { injectorFormats, type InjectorFormat } from './injector-properties.ts';
import type { TaskRun } from './task.ts';

const log = getLogger('mediation.task');

/** The task of the original that injects a message into a sequence or a proxy service (mediators 11). */
export function createInjector(task: CompiledTask, context: LiveContext): TaskRun {
  const { properties, name } = task;
  const textOf = (property: string): string => {
    const value = properties.get(property);
    return value === undefined || value instanceof XmlElement ? '' : value.trim();
  };
  const target = (textOf('injectTo') || 'main').toLowerCase();
  const key = textOf('registryKey');
  const waits = textOf('sequential').toLowerCase() === 'true';
  const requestIn =
    textOf('invokeHandlers').toLowerCase() === 'true' ? context.services.handlers?.requestIn : undefined;
  const running = new Set<Promise<void>>();
  const format = textOf('format').toLowerCase();
  if (format !== '' && !formats.has(format)) {
    log.warn({ task: name, format }, `the format is none of ${injectorFormats.join(', ')}; messages stay as they are`);
  }

  const once = async (world: LiveWorld): Promise<void> => {
    const run = flowOf(world);
    const message = new Message(new BackgroundExchange(world.environment), new Payload(), []);
    fillMessage(message, contentOf(world));
    message.properties.set('task.name', name);
    if (textOf('to') !== '') message.addressing.to = textOf('to');
    if (textOf('soapAction') !== '') message.addressing.action = textOf('soapAction');
    formats.get(format)?.(message);
    await runInBackground(world, message, { id: context.id, run: requestIn ? afterHandlers(requestIn, run) : run });
  };

  const flowOf = ({ library }: LiveWorld): Compiled => {
    const wanted = { main: 'main', sequence: textOf('sequenceName'), proxy: textOf('proxyName') }[target] ?? 'main';
    const flow = target === 'proxy' ? library.proxy(wanted) : library.sequence(wanted);
    if (flow) return flow;
    const kind = target === 'proxy' ? 'proxy service' : 'sequence';
    throw new MillraceError({ code: 'MR_TASK_TARGET', message: `There is no ${kind} "${wanted}"` });
  };

  const contentOf = ({ environment }: LiveWorld): string | XmlElement => {
    const own = properties.get('message');
    if (key === '' || (own !== undefined && target === 'proxy')) return own ?? '';
    const found = environment.localEntry(key) ?? environment.resource(key);
    if (found !== undefined) return found;
    throw new MillraceError({ code: 'MR_TASK_MESSAGE', message: `There is no resource "${key}"` });
  };

  return {
    async run() {
      const flow = context
        .inWorld(once)
        .catch((error: unknown) => log.error({ task: name, err: error }, `the task failed: ${messageOf(error)}`))
        .finally(() => running.delete(flow));
      running.add(flow);
      if (waits) await flow;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(running);
    },
  };
}

/** A handler may end the way of the message before its flow has begun. */
function afterHandlers(requestIn: FlowCallback, run: Compiled): Compiled {
  return async (message) => ((await requestIn(message)) === STOP ? STOP : run(message));
}

/** What the formats do to an injected message; without one it is in an envelope of SOAP 1.2. */
const formats: ReadonlyMap<string, (message: Message) => void> = new Map<InjectorFormat, (message: Message) => void>([
  ['soap11', (message) => asSoap(message, 'soap11', 'text/xml')],
  ['soap12', (message) => asSoap(message, 'soap12', 'application/soap+xml')],
  ['pox', (message) => setProperty(message, { scope: 'axis2', name: 'messageType' }, 'application/xml')],
  ['get', (message) => void message.axis2.set('HTTP_METHOD', 'GET')],
]);

function asSoap(message: Message, version: 'soap11' | 'soap12', type: string): void {
  message.payload.convertEnvelope(version);
  setProperty(message, { scope: 'axis2', name: 'messageType' }, type);
  const { action } = message.addressing;
  if (version === 'soap11' && action !== undefined) setHeader(message.headers, 'SOAPAction', `"${action}"`);
}
