import { brokersToTry, firstThatWorks, parseBrokerUrl, type UrlDialect } from '../broker-url.ts';
import type { JmsProvider } from '../provider.ts';
import { connectQpid } from './connection.ts';
import { loadRhea } from './rhea.ts';

const dialect: UrlDialect = {
  product: 'Qpid JMS',
  schemes: new Map([
    ['amqp', false],
    ['amqps', true],
  ]),
  port: 5672,
  tlsPort: 5671,
  example: 'amqp://host:5672, amqps://host:5671 or failover:(amqp://one:5672,amqp://two:5672)',
};

/** Brokers of AMQP 1.0, as Qpid JMS reaches them. */
export const qpidProvider: JmsProvider = {
  protocol: 'AMQP 1.0',
  checkUrl: (url) => void parseBrokerUrl(url, dialect),
  async connect({ url, username, password, clientId, clock }) {
    const parsed = parseBrokerUrl(url, dialect);
    const { options } = parsed;
    const rhea = await loadRhea();
    return firstThatWorks(brokersToTry(parsed), (broker) =>
      connectQpid(rhea, broker, {
        username: username ?? broker.username ?? options.get('jms.username'),
        password: password ?? broker.password ?? options.get('jms.password'),
        clientId: clientId ?? options.get('jms.clientID'),
        clock,
      }),
    );
  },
};
