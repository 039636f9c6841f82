import { getLogger } from '#core';
import type { Position } from '#errors';
import {
  CONTINUE,
  extensionMessage,
  liveWith,
  resolveExtension,
  setProperties,
  STOP,
  synapseElement,
  type ApiHandler,
  type Compiled,
  type CompileContext,
  type Flow,
} from '#mediation';
import type { Message } from '#message';
import { appendChild, cloneNode, firstElement, serializeXml, type SourceNode, type XmlElement } from '#xml';

const log = getLogger('api');

/** A `<handler>` of an API (runtime-core 2.1). */
export interface HandlerDefinition {
  readonly className: string;
  readonly position: Position;
  readonly properties: readonly HandlerProperty[];
}

interface HandlerProperty {
  readonly name: string;
  readonly value: string | undefined;
  readonly content: XmlElement | undefined;
}

/** The handlers of an API, in their order. */
export interface ApiHandlers {
  /** Runs before the resource is chosen; stops when a handler says so. */
  readonly request: Compiled;
  /** Runs before the out sequence. */
  readonly response: Compiled;
}

/** Handlers of the original that only measure or trace, which is built in here. */
const builtIn: ReadonlySet<string> = new Set([
  'org.wso2.carbon.apimgt.gateway.handlers.analytics.APIMgtGoogleAnalyticsTrackingHandler',
  'org.wso2.carbon.apimgt.gateway.handlers.analytics.APIMgtUsageHandler',
  'org.wso2.carbon.apimgt.gateway.handlers.common.APIMgtLatencyStatsHandler',
  'org.wso2.carbon.mediation.statistics.StatisticsHandler',
]);

/** Reads the `<handlers>` of an API. */
export function readHandlers(node: SourceNode): readonly HandlerDefinition[] {
  const handlers = node.child('handlers')?.childrenNamed('handler') ?? [];
  return handlers.map((handler) => {
    handler.knowOnly(['class']);
    const className = handler.required('class');
    if (builtIn.has(className)) {
      handler.warn(`the handler "${className}" is left out: what it measures is built in`, {
        attribute: 'class',
        code: 'MR_CLASS_BUILT_IN',
      });
    }
    const properties = handler.childrenNamed('property').map((property) => {
      const value = property.rawAttribute('value');
      const content = firstElement(property.element);
      if (value === undefined && !content) {
        property.error('<property> needs "value" or an XML child', { code: 'MR_ARTIFACT_ATTRIBUTE' });
      }
      return { name: property.required('name'), value, content };
    });
    return { className, position: handler.position('class'), properties };
  });
}

/** Writes them back. */
export function serializeHandlers(handlers: readonly HandlerDefinition[]): XmlElement {
  const element = synapseElement('handlers');
  for (const { className, properties } of handlers) {
    const handler = synapseElement('handler', { class: className });
    for (const { name, value, content } of properties) {
      const children = content ? [cloneNode(content)] : [];
      appendChild(handler, synapseElement('property', { name, value }, children));
    }
    appendChild(element, handler);
  }
  return element;
}

/** Makes the handlers of an API. @throws ProblemsError for a class that nothing stands in for */
export function compileHandlers(
  definitions: readonly HandlerDefinition[],
  context: CompileContext,
): ApiHandlers | undefined {
  const wanted = definitions.filter(({ className }) => !builtIn.has(className));
  if (wanted.length === 0) return undefined;
  const handlers = wanted.map((definition, index) => compileHandler(definition, context.at(`handler:${index}`)));
  const { maxBodyBytes } = context.services.settings;
  const loads = handlers.some(({ handler }) => handler.needsBody === true);
  const running =
    (method: 'handleRequest' | 'handleResponse'): Compiled =>
    async (message) => {
      if (loads && !message.payload.loaded) await message.payload.load(maxBodyBytes);
      return runAll(handlers, method, message);
    };
  return { request: running('handleRequest'), response: running('handleResponse') };
}

interface LiveHandler {
  readonly handler: ApiHandler;
  readonly id: string;
  readonly ready: () => void | Promise<void>;
}

function compileHandler({ className, position, properties }: HandlerDefinition, context: CompileContext): LiveHandler {
  const named = { className, position, kind: 'API handler', methods: ['handleRequest', 'handleResponse'] };
  const handler = resolveExtension(named, context.services.extensions)() as ApiHandler;
  setProperties(
    named,
    handler,
    properties.map(({ name, value, content }) => ({ name, value: content ? serializeXml(content) : value })),
  );
  const { id, library } = context;
  return { handler, id, ready: liveWith(library.lifecycle, handler, { id, position, log }) };
}

async function runAll(
  handlers: readonly LiveHandler[],
  method: 'handleRequest' | 'handleResponse',
  message: Message,
): Promise<Flow> {
  for (const { handler, id, ready } of handlers) {
    await ready();
    if ((await handler[method]?.(extensionMessage(message))) === false) {
      log.debug({ at: id, message: message.id }, 'a handler ended the processing');
      return STOP;
    }
  }
  return CONTINUE;
}
