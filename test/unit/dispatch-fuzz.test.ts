import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { configureLog } from '#core';
import { startInProcess } from '../helpers/in-process.ts';

after(() => configureLog({ level: 'info', format: 'json' }));

const namespace = 'xmlns="http://ws.apache.org/ns/synapse"';

/** APIs with a resource of every kind; each answers with what it was told. */
const artifacts = [
  `<api ${namespace} name="Root" context="/">
  <resource url-mapping="*.json" methods="GET"><inSequence><sequence key="answer"/></inSequence></resource>
  <resource methods="GET POST OPTIONS"><inSequence><sequence key="answer"/></inSequence></resource>
</api>`,
  `<api ${namespace} name="T" context="/t">
  <resource uri-template="/a/{x}/{y:2}?q={q}&amp;r={+r}" methods="GET"><inSequence><sequence key="answer"/></inSequence></resource>
  <resource uri-template="/b/{x,y}{/z}/*" methods="GET POST"><inSequence><sequence key="answer"/></inSequence></resource>
  <resource uri-template="/c{.x}" methods="DELETE"><inSequence><sequence key="answer"/></inSequence></resource>
  <resource uri-template="/d/{+all}"><inSequence><sequence key="answer"/></inSequence></resource>
  <resource url-mapping="/m/*" content-type="application/json"><inSequence><sequence key="answer"/></inSequence></resource>
</api>`,
  `<api ${namespace} name="V" context="/t/v" version="1.0" version-type="url"><resource user-agent=".*Java.*"><inSequence><sequence key="answer"/></inSequence></resource></api>`,
  `<sequence ${namespace} name="answer">
  <log level="full"/>
  <filter xpath="json-eval($.a)"><then><property name="HTTP_SC" value="299" scope="axis2"/></then></filter>
  <respond/>
</sequence>`,
  `<sequence ${namespace} name="fault"><property name="HTTP_SC" value="560" scope="axis2"/><property name="NO_ENTITY_BODY" value="true" scope="axis2" type="BOOLEAN"/><respond/></sequence>`,
];

const pieces =
  '/ // t v 1.0 a b c d m x.json .txt %2F %zz % %C3%BC + * ? & = q= r= swagger.json swagger.yaml { } , ; : ~ "';
const contentTypes = [
  'application/json',
  'application/xml',
  'text/xml',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=b',
  'application/octet-stream',
  'nonsense',
  '',
  ';;',
  'text/plain; charset=x-none',
];
const request = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'),
  target: fc.array(fc.constantFrom(...pieces.split(' ')), { maxLength: 12 }).map((parts) => `/${parts.join('')}`),
  type: fc.constantFrom(...contentTypes),
  body: fc.constantFrom(
    '',
    '{"a":true}',
    '{"a":',
    '<a>1</a>',
    '<a>',
    'a=1&b=%zz',
    '--b\r\n\r\nx\r\n--b--',
    '\u0000',
    '[1,2',
  ),
  headers: fc.subarray([
    'Origin: http://a',
    'User-Agent: Java/1',
    'Max-Forwards: x',
    'SOAPAction: ""',
    'Content-Encoding: gzip',
  ]),
});

test('every request ends in one answer, whatever it asks and brings', async () => {
  const runtime = startInProcess({
    sources: {
      files: artifacts.map((text, index) => ({ file: `${index}.xml`, text })),
      packed: [],
      roots: [],
      definitions: new Map(),
      problems: [],
    },
    scripts: [],
    cors: { enabled: true, allowOrigins: ['*'], allowHeaders: '' },
  });
  assert.deepEqual(runtime.problems, []);
  await fc.assert(
    fc.asyncProperty(request, async ({ method, target, type, body, headers }) => {
      runtime.lines.length = 0;
      const head = [`${method} ${target} HTTP/1.1`, ...headers, ...(type === '' ? [] : [`Content-Type: ${type}`])];
      const answer = await runtime.exchange(`${head.join('\n')}\n\n${body}`, 'http');
      assert.match(answer, /^(200|202|299|400|403|404|405|500|560)\b/);
      const internal = runtime.lines.filter((line) =>
        /nothing handled it|TypeError|RangeError|is not a function/.test(line),
      );
      assert.deepEqual(internal, []);
    }),
    { numRuns: 1500 },
  );
});
