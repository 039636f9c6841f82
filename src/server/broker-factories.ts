import { transportJms, transportJmsSender, transportRabbitmq, transportRabbitmqSender, type Config } from '#config';
import { getLogger } from '#core';
import { factoryParameters, type BrokerFactories, type SchemeFactories } from '#mediation';

const log = getLogger('server');

const sections = {
  jms: { section: transportJms, senders: transportJmsSender },
  rabbitmq: { section: transportRabbitmq, senders: transportRabbitmqSender },
} as const;

/** The connection factories of `[[transport.jms.sender]]` and `[[transport.rabbitmq.sender]]`. */
export function readBrokerFactories(config: Config): BrokerFactories {
  return { jms: readFactories(config, 'jms'), rabbitmq: readFactories(config, 'rabbitmq') };
}

function readFactories(config: Config, scheme: keyof typeof sections): SchemeFactories {
  const { section, senders } = sections[scheme];
  const named = config.list(senders).flatMap((reader): [string, ReadonlyMap<string, string>][] => {
    const name = reader.get(senders.name);
    if (name === undefined) return [];
    const { parameters, unknown } = factoryParameters(scheme, Object.entries(reader.bag(senders.parameters)));
    if (unknown.length > 0) {
      log.warn({ factory: name, parameters: unknown }, `[[transport.${scheme}.sender]] has parameters without meaning`);
    }
    return [[name, parameters]];
  });
  return { isEnabled: config.get(section.senderEnable), named: new Map(named) };
}
