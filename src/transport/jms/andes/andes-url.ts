import { jmsError } from '../provider.ts';
import type { AmqpAddress } from '../../rabbitmq/connection.ts';

const expected = "expected amqp://user:password@clientid/carbon?brokerlist='tcp://host:5672'";

/**
 * Reads an address of Andes or of Qpid before 1.0. The brokers of its list are tried in order.
 *
 * @throws MillraceError `MR_JMS_URL` for anything else; the password is not in it
 */
export function parseAndesUrl(text: string): readonly AmqpAddress[] {
  const match = /^amqp:\/\/(?:([^:@/]*)(?::([^@]*))?@)?([^/?]*)\/([^?]*)\?(.*)$/s.exec(text.trim());
  const list = /(?:^|&)brokerlist=(?:'((?:[^']|'[^'&;]*')*)'|([^&]*))/.exec(match?.[5] ?? '');
  if (!match || !list) throw jmsError('MR_JMS_URL', `this is no address of Andes; ${expected}`);
  const [, username = 'guest', password = 'guest', , virtualHost = ''] = match;
  const common = {
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    virtualHost: virtualHost === '' ? '/' : virtualHost,
  };
  return (list[1] ?? list[2] ?? '').split(';').map((each) => {
    const broker = /^(tcp|ssl):\/\/([^:/?]+)(?::(\d{1,5}))?(?:\?(.*))?$/.exec(each.trim());
    if (!broker) throw jmsError('MR_JMS_URL', `the broker list has "${each.trim().slice(0, 100)}"; ${expected}`);
    const [, scheme, host = '', port, options = ''] = broker;
    const usesTls = scheme === 'ssl' || /(?:^|&)ssl=.?true/.test(options);
    return { ...common, host, port: port === undefined ? 5672 : Number(port), ...(usesTls && { tls: {} }) };
  });
}
