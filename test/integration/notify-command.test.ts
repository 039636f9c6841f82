import assert from 'node:assert/strict';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { systemClock } from '#core';
import { openSqlite } from '#db';
import { createQueueStore, notifySuperTenant } from '#notify';
import { startProgram } from '../helpers/program.ts';
import { startSmsProvider } from '../helpers/sms-provider.ts';
import { temporaryFolder } from '../helpers/temporary-files.ts';

const projectRoot = join(import.meta.dirname, '../..');

async function millrace(...words: string[]): Promise<{ code: number | NodeJS.Signals; output: string }> {
  const args = [join(projectRoot, 'src/cli/main.ts'), ...words];
  const program = startProgram(process.execPath, args, { cwd: projectRoot, env: process.env });
  const code = await program.ended();
  return { code, output: program.output() };
}

test('`notify test` sends one message and prints each step', async (t) => {
  await using provider = await startSmsProvider();
  const publisher = (
    url: string,
  ): string => `<eventPublisher name="SMSPublisher" xmlns="http://wso2.org/carbon/eventpublisher">
  <from streamName="id_gov_sms_notify_stream" version="1.0.0"/>
  <mapping customMapping="enable" type="json"><inline>{"to": {{mobile}}, "text": {{body}}}</inline></mapping>
  <to eventAdapterType="http">
    <property name="http.url">${url}</property>
    <property name="http.username">user</property>
    <property name="http.password">pass-word</property>
  </to>
</eventPublisher>`;
  const home = temporaryFolder(t, {
    'conf/deployment.toml': '',
    'eventpublishers/SMSPublisher.xml': publisher(provider.url),
  });
  const sent = await millrace('notify', 'test', 'sms', '--to', '+44 1', '--text', 'hello', '--home', home);
  assert.equal(sent.code, 0, sent.output);
  assert.match(
    sent.output,
    /publisher "SMSPublisher" of the files\n.*\n *POST http:.*\nsent: answered with status 202/,
  );
  assert.ok(!sent.output.includes('pass-word'));
  assert.deepEqual(JSON.parse(provider.calls[0]?.body ?? ''), { to: '+44 1', text: 'hello' });
  provider.answer = (response) => response.writeHead(403).end('who are you');
  const refused = await millrace('notify', 'test', 'sms', '--to', '+44 1', '--home', home);
  assert.equal(refused.code, 1);
  assert.match(refused.output, /refused: answered with status 403\n *who are you/);
  const unknown = await millrace('notify', 'test', 'sms', '--to', '1', '--tenant', 'none.example', '--home', home);
  assert.match(unknown.output, /There is no tenant none\.example/);
});

test('`check` names what is wrong with publishers and templates', async (t) => {
  const home = temporaryFolder(t, {
    'conf/deployment.toml': '',
    'conf/sms/sms-providers-api-body-templates.xml':
      '<configurations>\n<configuration provider="Mine"><body>please {{body}}</body></configuration></configurations>',
    'eventpublishers/A.xml': '<eventPublisher name="A">\n<from streamName="s" version="1"/></eventPublisher>',
    'eventstreams/s.json': '{"name": "s"}',
  });
  const { code, output } = await millrace('check', home);
  assert.equal(code, 1);
  assert.match(output, /A\.xml:1:1: error: <eventPublisher> needs the element <to>/);
  assert.match(output, /s\.json:1:1: error: A stream needs "name" and "version"/);
  assert.match(output, /body-templates\.xml:2:1: error: The template for "Mine"/);
  assert.ok(!output.includes('is no artifact'));
});

test('`notify dead` lists what was given up, and `notify retry` puts it back into the queue', async (t) => {
  const home = temporaryFolder(t, { 'conf/deployment.toml': '' });
  const nothing = await millrace('notify', 'dead', '--home', home);
  assert.equal(nothing.code, 0, nothing.output);
  assert.match(nothing.output, /No message was given up/);
  await using database = openSqlite({ path: join(home, 'data/notifications.sqlite'), clock: systemClock });
  const sealing = { seal: (text: string) => text, open: (text: string) => text };
  const queue = createQueueStore({ database, sealing, clock: systemClock });
  const document = { publisher: 'SMSPublisher', domain: 'acme.com', body: 'x', contentType: 'text/plain', values: {} };
  const [first = '', second = ''] = await queue.add(notifySuperTenant, [document, document]);
  for (const job of await queue.due(2, [])) await queue.bury(job, 'answered with status 403');
  const listed = await millrace('notify', 'dead', '--home', home, '--output', 'json');
  const rows = JSON.parse(listed.output) as { id: string; sender: string; attempts: number; reason: string }[];
  assert.deepEqual(
    rows.map(({ id }) => id).toSorted((a, b) => a.localeCompare(b)),
    [first, second],
  );
  assert.equal(rows[0]?.sender, 'acme.com:SMSPublisher');
  assert.equal(rows[0].reason, 'answered with status 403');
  const table = await millrace('notify', 'dead', '--home', home, '--limit', '1');
  assert.match(table.output, /^ID +SENDER +ATTEMPTS/);
  assert.equal(table.output.trim().split('\n').length, 2);
  const retried = await millrace('notify', 'retry', first, 'none', '--home', home);
  assert.equal(retried.code, 1, retried.output);
  assert.match(retried.output, new RegExp(`${first} waits to be sent again\nnone: no such message was given up`));
  assert.deepEqual(
    (await queue.due(9, [])).map(({ id }) => id),
    [first],
  );
  assert.equal((await millrace('notify', 'retry', '--all', '--home', home)).code, 0);
  assert.equal(await queue.waiting(), 2);
  const wrong = await millrace('notify', 'retry', '--home', home);
  assert.match(wrong.output, /Expected ids of messages, or --all/);
});
