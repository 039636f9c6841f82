import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBrokerAddress, type BrokerAddress } from './broker-address.ts';
import { factoryParameters, noBrokerFactories, withFactory, type BrokerFactories } from './broker-factories.ts';

const factories: BrokerFactories = {
  jms: {
    isEnabled: true,
    named: new Map([
      ['ours', new Map([['transport.jms.ConnectionFactoryJNDIName', 'Factory']]).set('transport.jms.UserName', 'me')],
    ]),
  },
  rabbitmq: {
    isEnabled: true,
    named: new Map([['Hub', new Map([['rabbitmq.server.host.name', 'hub']])]]),
  },
};

const parametersOf = (url: string, given = factories): Record<string, string> =>
  Object.fromEntries(withFactory(parseBrokerAddress(url), given).parameters);

test('the names of a file become those of addresses, and empty values say nothing', () => {
  const { parameters, unknown } = factoryParameters('jms', [
    ['initial_naming_factory', 'org.example.Naming'],
    ['password', ''],
    ['queue.Orders', 'orders-1'],
    ['cache_level', 'producer'],
    ['usename', 'x'],
  ]);
  assert.deepEqual(Object.fromEntries(parameters), {
    'java.naming.factory.initial': 'org.example.Naming',
    'queue.Orders': 'orders-1',
  });
  assert.deepEqual(unknown, ['usename']);
  assert.deepEqual(factoryParameters('rabbitmq', [['initial_naming_factory', 'x']]).unknown, [
    'initial_naming_factory',
  ]);
});

test('an address counts where it says something itself', () => {
  assert.deepEqual(parametersOf('jms:/Q?transport.jms.ConnectionFactory=ours&transport.jms.UserName=you'), {
    'transport.jms.ConnectionFactory': 'ours',
    'transport.jms.ConnectionFactoryJNDIName': 'Factory',
    'transport.jms.UserName': 'you',
  });
  assert.deepEqual(parametersOf('rabbitmq:/Hub?rabbitmq.queue.name=Q'), {
    'rabbitmq.server.host.name': 'hub',
    'rabbitmq.queue.name': 'Q',
  });
  assert.deepEqual(parametersOf('rabbitmq:/Any?rabbitmq.connection.factory=Hub'), {
    'rabbitmq.server.host.name': 'hub',
    'rabbitmq.connection.factory': 'Hub',
  });
});

test('an address that says everything needs no factory', () => {
  const whole = 'jms:/Q?transport.jms.ConnectionFactory=other&transport.jms.ConnectionFactoryJNDIName=F';
  assert.deepEqual(Object.keys(parametersOf(whole)).length, 2);
  assert.deepEqual(parametersOf('rabbitmq:/Any?rabbitmq.queue.name=Q'), { 'rabbitmq.queue.name': 'Q' });
});

test('a factory that is not there is named together with those that are', () => {
  const refused = (url: string, given = factories): BrokerAddress => withFactory(parseBrokerAddress(url), given);
  assert.throws(() => refused('jms:/Q?transport.jms.ConnectionFactory=none'), {
    code: 'MR_BROKER_ADDRESS',
    message: 'there is no connection factory "none" in [[transport.jms.sender]]; there are ours',
  });
  assert.throws(() => refused('rabbitmq:/A?rabbitmq.connection.factory=none', noBrokerFactories), /; there is none$/);
  const off = { ...factories, jms: { ...factories.jms, isEnabled: false } };
  assert.throws(() => refused('jms:/Q', off), /\[transport\.jms\] sender_enable = true/);
});
