import {
  BackgroundExchange,
  createCompileContext,
  guardWith,
  runInBackground,
  sequenceReference,
  type Compiled,
  type LiveContext,
  type LiveWorld,
} from '#mediation';
import { Message, type HeaderList, type Payload, type PayloadOrigin } from '#message';
import type { InboundDefinition } from './definition.ts';

/** A message that comes in without a client that waits for its answer. */
export interface Injection {
  readonly payload: Payload;
  readonly headers: HeaderList;
  readonly properties: Readonly<Record<string, unknown>>;
  /** True to read the payload only when somebody asks for it. */
  readonly streams: boolean;
  /** Takes what the flow answers; nobody does when absent. */
  readonly answer?: ((message: Message) => Promise<void>) | undefined;
}

/** How it went with a message. */
export interface InjectionOutcome {
  /** Whether something failed, or the flow asked for a roll-back. */
  readonly failed: boolean;
  /** Whether the message may be on its way still. */
  readonly isSent: boolean;
  /** Whether the flow has set a property to true, in the scope `default`, `axis2` or `operation`. */
  isSet(name: string): boolean;
}

/** Takes a message through the sequence of its endpoint, with the fault handling of the endpoint. */
export async function injectMessage(
  world: LiveWorld,
  { payload, headers, properties, streams, answer }: Injection,
  { definition, context }: { definition: InboundDefinition; context: LiveContext },
): Promise<InjectionOutcome> {
  const exchange = new BackgroundExchange(world.environment);
  exchange.onAnswer = answer;
  const message = new Message(exchange, payload, headers);
  const own = {
    isInbound: true,
    'inbound.endpoint.name': definition.name,
    ARTIFACT_NAME: `inboundendpoint${definition.name}`,
    ...properties,
  };
  for (const [name, value] of Object.entries(own)) message.properties.set(name, value);
  const flow = flowOf(world, definition, context);
  const run = streams ? flow : loaded(flow, context.services.settings.maxBodyBytes);
  const { failure } = await runInBackground(world, message, { id: context.id, run });
  const isSet = (name: string): boolean =>
    [message.properties, message.axis2, exchange.operation].some((scope) => {
      const value: unknown = scope.get(name);
      return value === true || value === 'true';
    });
  return {
    failed: failure !== undefined || exchange.failed || isSet('SET_ROLLBACK_ONLY'),
    isSent: exchange.sentAsynchronously,
    isSet,
  };
}

/** What is known of content of a type that no client sent: XML need not be SOAP. */
export function originOf(contentType: string): PayloadOrigin {
  const reading = { allowDtd: false, allowPlainXml: true, wrapper: undefined };
  return { contentType, hasSoapAction: false, query: '', reading };
}

const flows = new WeakMap<LiveWorld['library'], Map<InboundDefinition, Compiled>>();

/** The sequence of an endpoint in a world, with its fault sequence around it. */
function flowOf({ library }: LiveWorld, definition: InboundDefinition, context: LiveContext): Compiled {
  const ofWorld = flows.get(library) ?? new Map<InboundDefinition, Compiled>();
  flows.set(library, ofWorld);
  const known = ofWorld.get(definition);
  if (known) return known;
  const compile = createCompileContext(context.id, library, context.services);
  const guard = guardWith({ key: definition.onError, inline: undefined }, compile);
  const flow = guard(sequenceReference(definition.sequence ?? '', compile, definition.sequencePosition));
  ofWorld.set(definition, flow);
  return flow;
}

/** The content is here before the flow begins, whatever becomes of where it came from. */
function loaded(flow: Compiled, maxBodyBytes: number): Compiled {
  return async (message) => {
    await message.payload.load(maxBodyBytes);
    return flow(message);
  };
}
