import { getLogger } from '#core';
import { resolveExtension, type CompileContext, type LiveContext } from '#mediation';
import { backgroundRunsAs, checkBackground } from '../background-endpoint.ts';
import type { InboundDefinition } from '../definition.ts';
import { textOrMarkup, word } from '../parameter-rules.ts';
import { resolveParameters } from '../parameters.ts';
import { pollingParameters, readPolling, startPlaced, startPolling, type Polling } from '../poll.ts';
import { defineInbound } from '../protocol.ts';
import { createInboundContext } from './inbound-context.ts';
import { createListening } from './listening.ts';
import type { InboundContext, ListeningConsumer, PollingConsumer } from './types.ts';

const log = getLogger('inbound');
const behaviors = ['polling', 'eventBased', 'listening'] as const;
const behavior = word(behaviors);

/** An endpoint that a module of one's own implements. */
interface CustomInbound {
  readonly definition: InboundDefinition;
  readonly className: string;
  readonly behavior: (typeof behaviors)[number];
  readonly polling: Polling;
  readonly parameters: Readonly<Record<string, string>>;
  /** Makes an instance of its class. */
  readonly create: () => object;
}

/** `class="…"`: messages come from a module of the extensions (mediators 12). */
export const custom = defineInbound<CustomInbound>({
  names: [],
  parameters: { ...pollingParameters, 'inbound.behavior': behavior },
  hasOwnParameters: true,
  check: checkBackground,
  compile(definition, { library, services }: CompileContext) {
    const resolved = resolveParameters(definition.parameters, library);
    const kind = resolved.get('inbound.behavior', behavior) ?? 'polling';
    const className = definition.className ?? '';
    const named = {
      className,
      position: definition.classPosition,
      kind: 'inbound endpoint',
      methods: [kind === 'polling' ? 'poll' : 'listen'],
    };
    const polling = readPolling(resolved, services.settings.timeZone ?? 'UTC');
    return {
      definition,
      className,
      behavior: kind,
      // What opens a port of its own does so on every node, unless it says otherwise.
      polling:
        kind === 'listening' && !resolved.names.includes('coordination') ? { ...polling, coordinated: false } : polling,
      parameters: Object.fromEntries(resolved.names.map((name) => [name, resolved.get(name, textOrMarkup) ?? ''])),
      create: resolveExtension(named, services.extensions),
    };
  },
  start(endpoint, context) {
    const { definition, polling, create } = endpoint;
    const own = createInboundContext(definition, endpoint.parameters, context);
    if (endpoint.behavior === 'polling') {
      return startPolling(definition, polling, { context, open: () => openPoller(create() as PollingConsumer, own) });
    }
    return startPlaced(definition, polling, { context, begin: () => beginListening(endpoint, own, context) });
  },
  runsAs: ({ definition, className, behavior: kind, polling, parameters }) =>
    backgroundRunsAs(definition, [className, kind, polling, parameters]),
});

function beginListening({ create }: CustomInbound, own: InboundContext, { services }: LiveContext): AsyncDisposable {
  return createListening(create() as ListeningConsumer, own, services.clock);
}

/** A poller that is initialized before it looks for the first time. */
function openPoller(consumer: PollingConsumer, own: InboundContext): AsyncDisposable & { poll(): Promise<void> } {
  let isReady = false;
  return {
    async poll() {
      if (!isReady) await consumer.init?.(own);
      isReady = true;
      await consumer.poll(own);
    },
    async [Symbol.asyncDispose]() {
      try {
        if (isReady) await consumer.destroy?.();
      } catch (error) {
        log.error({ err: error, inbound: own.name }, 'the inbound endpoint did not end cleanly');
      }
    },
  };
}
