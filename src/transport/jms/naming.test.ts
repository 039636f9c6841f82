import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseAndesUrl } from './andes/andes-url.ts';
import { withoutSecrets } from './broker-url.ts';
import { lookUpBroker, lookUpDestination, type Naming } from './naming.ts';
import { openWireProvider } from './openwire/provider.ts';
import { qpidProvider } from './qpid/provider.ts';

const factory = 'java.naming.factory.initial';
const url = 'java.naming.provider.url';
const activemq = 'org.apache.activemq.jndi.ActiveMQInitialContextFactory';
const qpid = 'org.apache.qpid.jms.jndi.JmsInitialContextFactory';
const andes = 'org.wso2.andes.jndi.PropertiesFileInitialContextFactory';

function naming(properties: Readonly<Record<string, string>>): Naming {
  return { properties: new Map(Object.entries(properties)), pathOf: (path) => path };
}

test('the provider URL of ActiveMQ is the address of its usual connection factories and of declared ones', () => {
  const plain = naming({ [factory]: activemq, [url]: 'tcp://localhost:61616' });
  assert.deepEqual(lookUpBroker(plain, 'QueueConnectionFactory'), {
    provider: openWireProvider,
    url: 'tcp://localhost:61616',
  });
  assert.throws(() => lookUpBroker(plain, 'Mine'), /no connection factory "Mine"; known are ConnectionFactory/);
  const named = naming({ [factory]: activemq, [url]: 'tcp://one:1', connectionFactoryNames: 'Mine, Other' });
  assert.equal(lookUpBroker(named, 'Other').url, 'tcp://one:1');
  const declared = naming({ [factory]: activemq, [url]: 'tcp://one:1', 'connectionfactory.Mine': 'tcp://two:2' });
  assert.equal(lookUpBroker(declared, 'Mine').url, 'tcp://two:2');
});

test('destinations are declared, dynamic, or queues of their own name', () => {
  const names = naming({ 'queue.Short': 'the.long.name', 'topic.News': 'news.all' });
  assert.deepEqual(lookUpDestination(names, 'Short'), { kind: 'queue', name: 'the.long.name' });
  assert.deepEqual(lookUpDestination(names, 'News'), { kind: 'topic', name: 'news.all' });
  assert.deepEqual(lookUpDestination(names, 'dynamicQueues/A.B'), { kind: 'queue', name: 'A.B' });
  assert.deepEqual(lookUpDestination(names, 'Plain'), { kind: 'queue', name: 'Plain' });
});

test('a provider URL that names a file leads to what the file declares', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-jndi-'));
  try {
    const file = join(directory, 'jndi.properties');
    writeFileSync(
      file,
      `# names
connectionfactory.QueueConnectionFactory = amqp://admin:admin@clientid/carbon?brokerlist='tcp://localhost:5675'
queue.Orders = \\
  orders.in
`,
    );
    const names = naming({ [factory]: andes, [url]: file });
    assert.match(lookUpBroker(names, 'QueueConnectionFactory').url, /brokerlist='tcp:\/\/localhost:5675'$/);
    assert.deepEqual(lookUpDestination(names, 'Orders'), { kind: 'queue', name: 'orders.in' });
    assert.throws(() => lookUpBroker(names, 'Other'), /known are QueueConnectionFactory/);
    const missing = naming({ [factory]: qpid, [url]: join(directory, 'none.properties') });
    assert.throws(() => lookUpBroker(missing, 'Any'), /neither a broker's address nor a file/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test('a naming service that nothing stands for is refused with those that there are', () => {
  assert.throws(() => lookUpBroker(naming({ [factory]: 'com.example.Other' }), 'X'), /found "com.example.Other"/);
  assert.throws(() => lookUpBroker(naming({}), 'X'), /there is none/);
});

test('addresses of each kind are checked', () => {
  for (const each of [
    'tcp://localhost:61616',
    'ssl://broker',
    'nio://a:1?wireFormat.maxInactivityDuration=0',
    'failover:(tcp://a:1,ssl://b:2)?randomize=false&timeout=3000',
    'failover:tcp://a:1',
    'failover://(tcp://a:1?keepAlive=true,tcp://b:2)',
    'tcp://[::1]:61616',
  ]) {
    openWireProvider.checkUrl(each);
  }
  const refused: readonly (readonly [url: string, why: RegExp])[] = [
    ['vm://localhost', /inside of a Java program; expected tcp/],
    ['http://localhost:8161', /no address of ActiveMQ/],
    ['failover:(tcp://a:1,vm://b)', /inside of a Java program/],
    ['tcp://:61616', /names no host/],
    ['localhost', /no address of ActiveMQ/],
  ];
  for (const [each, why] of refused) assert.throws(() => openWireProvider.checkUrl(each), why, each);
  qpidProvider.checkUrl('amqps://user:secret@host:5671?amqp.idleTimeout=1');
  assert.throws(() => qpidProvider.checkUrl('tcp://a:1'), /no address of Qpid JMS/);
});

test('addresses of Andes have an account, a virtual host and a list of brokers', () => {
  const common = { username: 'admin', password: 'a b', virtualHost: 'carbon' };
  assert.deepEqual(
    parseAndesUrl(
      "amqp://admin:a%20b@clientID/carbon?failover='roundrobin'&brokerlist='tcp://one:5672?retries='5';tcp://two'",
    ),
    [
      { ...common, host: 'one', port: 5672 },
      { ...common, host: 'two', port: 5672 },
    ],
  );
  assert.deepEqual(parseAndesUrl("amqp://admin:a%20b@clientID/carbon?brokerlist='tcp://one:5673;ssl://two'"), [
    { ...common, host: 'one', port: 5673 },
    { ...common, host: 'two', port: 5672, tls: {} },
  ]);
  assert.throws(
    () => parseAndesUrl('amqp://admin:topsecret@x/carbon'),
    (error: Error) => {
      assert.doesNotMatch(error.message, /topsecret/);
      return /brokerlist/.test(error.message);
    },
  );
});

test('passwords in addresses are not shown', () => {
  assert.equal(
    withoutSecrets('tcp://a:1?jms.userName=me&jms.password=secret'),
    'tcp://a:1?jms.userName=me&jms.password=…',
  );
  assert.equal(withoutSecrets('amqp://me:secret@host:1'), 'amqp://…@host:1');
});
