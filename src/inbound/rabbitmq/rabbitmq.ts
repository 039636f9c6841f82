import { backgroundRunsAs, checkBackground } from '../background-endpoint.ts';
import type { InboundDefinition } from '../definition.ts';
import { resolveParameters } from '../parameters.ts';
import { readPolling, startPlaced, type Polling } from '../poll.ts';
import { defineInbound } from '../protocol.ts';
import { beginConsuming } from './consume.ts';
import { rabbitmqParameters, readRabbitmqSettings, type RabbitmqSettings } from './rabbitmq-parameters.ts';

/** An endpoint that takes messages of a queue of RabbitMQ. */
export interface RabbitmqInbound {
  readonly definition: InboundDefinition;
  readonly settings: RabbitmqSettings;
  readonly polling: Polling;
}

/** `protocol="rabbitmq"`: messages of a queue (mediators 12.3). The broker need not be there when it is deployed. */
export const rabbitmq = defineInbound<RabbitmqInbound>({
  names: ['rabbitmq'],
  parameters: rabbitmqParameters,
  check: checkBackground,
  compile(definition, { library, services }) {
    const parameters = resolveParameters(definition.parameters, library);
    return {
      definition,
      settings: readRabbitmqSettings(parameters, (path) => services.background.brokers.pathOf(path)),
      polling: readPolling(parameters, services.settings.timeZone ?? 'UTC'),
    };
  },
  start: (inbound, context) =>
    startPlaced(inbound.definition, inbound.polling, { context, begin: () => beginConsuming(inbound, context) }),
  runsAs: ({ definition, settings, polling }) => backgroundRunsAs(definition, [settings, polling]),
});
