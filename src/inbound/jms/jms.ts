import { messageOf, MillraceError, ProblemsError } from '#errors';
import { lookUpBroker, type Naming } from '#transport';
import { backgroundRunsAs, checkBackground } from '../background-endpoint.ts';
import type { InboundDefinition } from '../definition.ts';
import { resolveParameters } from '../parameters.ts';
import { readPolling, startPolling, type Polling } from '../poll.ts';
import { defineInbound } from '../protocol.ts';
import { jmsParameters, readJmsSettings, type JmsSettings } from './jms-parameters.ts';
import { createJmsPoller } from './poller.ts';

/** An endpoint that takes messages of a JMS destination. */
interface JmsInbound {
  readonly definition: InboundDefinition;
  readonly settings: JmsSettings;
  readonly polling: Polling;
}

/** `protocol="jms"`: messages of a queue or topic (mediators 12.3). The broker need not be there when it is deployed. */
export const jms = defineInbound<JmsInbound>({
  names: ['jms'],
  parameters: jmsParameters,
  check: checkBackground,
  compile(definition, { library, services }) {
    const parameters = resolveParameters(definition.parameters, library);
    const settings = readJmsSettings(parameters, definition.name);
    checkBroker(
      definition,
      {
        properties: new Map(settings.naming),
        pathOf: (path) => services.background.brokers.pathOf(path),
      },
      settings.connectionFactory,
    );
    return { definition, settings, polling: readPolling(parameters, services.settings.timeZone ?? 'UTC') };
  },
  start: ({ definition, settings, polling }, context) =>
    startPolling(definition, polling, {
      context,
      open: () => createJmsPoller(definition, settings, { polling, context }),
    }),
  runsAs: ({ definition, settings, polling }) => backgroundRunsAs(definition, [settings, polling]),
});

/** @throws ProblemsError at the parameter that leads to no broker */
function checkBroker({ parameters }: InboundDefinition, naming: Naming, factory: string): void {
  try {
    const { provider, url } = lookUpBroker(naming, factory);
    provider.checkUrl(url);
  } catch (error) {
    const isNaming = error instanceof MillraceError && error.code === 'MR_JMS_NAMING';
    const at = isNaming ? 'java.naming.factory.initial' : 'java.naming.provider.url';
    const parameter = parameters.find(({ name }) => name === at);
    if (!parameter) throw error;
    const { position, excerpt } = parameter;
    throw new ProblemsError([
      { code: 'MR_INBOUND_PARAMETER', severity: 'error', message: messageOf(error), position, excerpt },
    ]);
  }
}
