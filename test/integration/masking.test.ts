import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backEndAnswers } from '../../web/src/back-end-answers.ts';
import { suiteOf, tracedEnd } from '../../web/src/saved-suite.ts';
import { requestOf, statesOf, type Trace } from '../../web/src/trace-model.ts';
import { ask, inServer } from '../effects/effect-server.ts';
import { bearer, call, twoUsers } from '../helpers/management-calls.ts';
import { freePorts } from '../helpers/temporary-server.ts';

const rules = `${freePorts}
${twoUsers()}
[[millrace.masking]]
name = "card"
kind = "jsonpath"
expression = "$..pan"
[[millrace.masking]]
name = "iban"
kind = "xpath"
expression = "//b:iban"
namespaces.b = "urn:bank"
[[millrace.masking]]
name = "customer"
kind = "header"
expression = "X-Customer*"
[[millrace.masking]]
name = "order"
kind = "text"
expression = "order-\\\\d{6}"
`;

/** Puts what is covered into properties, variables, headers, an address, another payload and an error. */
const source = `<api xmlns="http://ws.apache.org/ns/synapse" name="Pay" context="/pay"><resource methods="POST" uri-template="/{id}"><inSequence>
  <property name="early" expression="json-eval($.copy)"/>
  <property name="card" expression="json-eval($.a[0].pan)"/>
  <variable name="inner" expression="\${payload.inner}"/>
  <header name="X-Out" scope="transport" expression="$trp:X-Customer-Name"/>
  <payloadFactory media-type="xml"><format><r><c>$1</c><o>$2</o><n>$3</n></r></format><args><arg expression="json-eval($.a[0].pan)"/><arg expression="json-eval($.note)"/><arg expression="$trp:X-Customer-Name"/></args></payloadFactory>
  <log level="full"/>
  <respond/>
</inSequence></resource></api>`;

const covered = ['4111222233334444', 'CH9300762011623852957', 'Ada Lovelace', 'order-123456'];
const [pan, iban, customer, order] = covered;
const body = JSON.stringify({
  copy: `card ${pan}`,
  a: [{ pan }],
  inner: JSON.stringify({ doc: `<d xmlns="urn:bank"><iban>${iban}</iban></d>`, again: iban }),
  note: `of ${order}`,
});

test('what a rule covers stands in no trace, capture, replay or saved test', async () => {
  await inServer(rules, { 'artifacts/api/pay.xml': source }, async (server) => {
    const token = { ...(await bearer(server)), 'Content-Type': 'application/json' };
    const as = async (request: string, json?: unknown): Promise<string> =>
      (await call(server, request, { headers: token, ...(json !== undefined && { body: JSON.stringify(json) }) })).body;
    const headers = { 'Content-Type': 'application/json', 'X-Customer-Name': String(customer) };
    const seen: string[] = [];
    seen.push(
      await as('POST /millrace/captures', {
        artifact: 'api:Pay',
        header: { name: 'X-Customer-Name', value: customer },
        predicate: `\${payload.note != 'of ${order}x'}`,
        next: 2,
        payloads: true,
      }),
    );
    seen.push(await as('GET /millrace/captures'));
    const answer = await ask(`${server.url('API HTTP')}/pay/7`, { method: 'POST', headers, body });
    assert.ok(typeof answer !== 'string');
    // The message itself is what it was.
    for (const value of [pan, customer, order]) assert.ok(answer.body.includes(String(value)), answer.body);
    seen.push(await as('POST /millrace/replays', { method: 'POST', path: '/pay/8', headers, body }));
    seen.push(await as('GET /millrace/traces'), await as('GET /millrace/traces/2'));
    const text = await as('GET /millrace/traces/1');
    seen.push(text);
    const trace = JSON.parse(text) as Trace;
    const states = statesOf(trace.steps);
    const request = requestOf(trace);
    assert.ok(request);
    assert.deepEqual(request.masked.toSorted(), ['X-Customer-Name', 'payload']);
    const facts = { request, source, context: '/pay', supporting: [], expected: tracedEnd(states) };
    seen.push(suiteOf({ ...facts, answers: backEndAnswers(states) }));
    for (const shown of seen) {
      for (const value of covered) assert.ok(!shown.includes(value), `${value} stands in ${shown}`);
    }
    const last = states.at(-1)?.after;
    assert.match(last?.get('payload') ?? '', /<c>\*{5}\[card\]<\/c><o>of \*{5}\[order\]<\/o><n>\*{5}\[customer\]<\/n>/);
    assert.equal(last?.get('default:early'), 'card *****[card]');
    assert.match(last?.get('variable:inner') ?? '', /\*{5}\[iban\]/);
    assert.match(seen[2] ?? '', /\*{5}\[card\]/);
  });
});

test('payloads that are not recorded are looked into: their values do not stand in properties', async () => {
  await inServer(rules, { 'artifacts/api/pay.xml': source }, async (server) => {
    const headers = { ...(await bearer(server)), 'Content-Type': 'application/json' };
    await call(server, 'POST /millrace/captures', { headers, body: '{"artifact":"api:Pay","payloads":false}' });
    await ask(`${server.url('API HTTP')}/pay/7`, { method: 'POST', headers, body });
    const { body: text } = await call(server, 'GET /millrace/traces/1', { headers });
    assert.ok(text.includes('*****[card]'), text);
    assert.ok(!text.includes(String(pan)), text);
  });
});

test('a rule that cannot be compiled ends the start, with the place of its expression', async () => {
  const wrong = `${freePorts}\n[[millrace.masking]]\nname = "card"\nkind = "jsonpath"\nexpression = "$.["\n`;
  await assert.rejects(
    inServer(wrong, {}, () => Promise.resolve()),
    /deployment\.toml:\d+:\d+.*masking rule "card" \(jsonpath\)/s,
  );
});
