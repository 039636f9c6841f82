import { brokersToTry, firstThatWorks, parseBrokerUrl, type UrlDialect } from '../broker-url.ts';
import type { JmsProvider } from '../provider.ts';
import { openConnection } from './connection.ts';

const dialect: UrlDialect = {
  product: 'ActiveMQ',
  schemes: new Map([
    ['tcp', false],
    ['nio', false],
    ['auto', false],
    ['auto+nio', false],
    ['ssl', true],
    ['nio+ssl', true],
    ['auto+ssl', true],
    ['auto+nio+ssl', true],
  ]),
  port: 61616,
  tlsPort: 61617,
  example: 'tcp://host:61616, ssl://host:61617 or failover:(tcp://one:61616,tcp://two:61616)',
};

/** ActiveMQ over OpenWire. Of `failover:(…)` every broker is tried once; whoever wants more connects again. */
export const openWireProvider: JmsProvider = {
  protocol: 'OpenWire',
  checkUrl: (url) => void parseBrokerUrl(url, dialect),
  connect({ url, username, password, clientId, clock }) {
    const parsed = parseBrokerUrl(url, dialect);
    const { options } = parsed;
    const account = {
      username: username ?? options.get('jms.userName'),
      password: password ?? options.get('jms.password'),
      clientId: clientId ?? options.get('jms.clientID'),
    };
    return firstThatWorks(brokersToTry(parsed), (broker) => openConnection({ ...broker, options }, account, clock));
  },
};
