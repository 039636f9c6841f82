import assert from 'node:assert/strict';
import test from 'node:test';
import { runCase } from '../helpers/run-case.ts';

/** Validates a body that is large enough for a worker, twice, and answers what the flow saw. */
async function answers(
  schema: string,
  requests: readonly (readonly [type: string, body: string])[],
): Promise<string[]> {
  const artifact = `<api xmlns="http://ws.apache.org/ns/synapse" name="T" context="/t">
  <resource methods="POST">
    <inSequence>
      <validate>
        <schema key="schema"/>
        <on-fail>
          <payloadFactory media-type="text">
            <format>$1</format>
            <args><arg expression="get-property('ERROR_MESSAGE')"/></args>
          </payloadFactory>
          <property name="messageType" value="text/plain" scope="axis2"/>
          <respond/>
        </on-fail>
      </validate>
      <payloadFactory media-type="text"><format>valid</format><args/></payloadFactory>
      <property name="messageType" value="text/plain" scope="axis2"/>
      <respond/>
    </inSequence>
  </resource>
</api>
`;
  const entry = `<localEntry xmlns="http://ws.apache.org/ns/synapse" key="schema">${schema}</localEntry>\n`;
  const exchanges = requests.map(
    ([type, body]) =>
      `--- request\nPOST /t HTTP/1.1\nContent-Type: ${type}\n\n${body}\n--- expect response\n200\nContent-Type: x\n\nx\n`,
  );
  const text = `A case.\n--- artifact api.xml\n${artifact}--- artifact schema.xml\n${entry}${exchanges.join('')}`;
  const { actual } = await runCase(text);
  return [...actual.matchAll(/--- expect response\n200\n[^\n]*\n\n([^]*?)\n(?=---|$)/g)].map((match) => match[1] ?? '');
}

const many = Array.from({ length: 20_000 }, (_, index) => index);

test('a large JSON payload is validated by a worker', async () => {
  const json = (items: readonly (number | string)[]): string => JSON.stringify({ items });
  const found = await answers('<![CDATA[{"properties":{"items":{"items":{"type":"integer"}}}}]]>', [
    ['application/json', json(many)],
    ['application/json', json([...many, 'x'])],
    ['application/json', json(many)],
  ]);
  assert.equal(found.length, 3);
  assert.equal(found[0], 'valid');
  assert.match(found[1] ?? '', /string.*integer/);
  assert.equal(found[2], 'valid');
});

test('a large XML payload is validated by a worker', async () => {
  const schema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a"><xs:complexType><xs:sequence>
    <xs:element name="b" type="xs:int" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element></xs:schema>`;
  const xml = (items: readonly (number | string)[]): string =>
    `<a>${items.map((item) => `<b>${item}</b>`).join('')}</a>`;
  const found = await answers(schema, [
    ['application/xml', xml(many)],
    ['application/xml', xml([...many, 'x'])],
  ]);
  assert.equal(found.length, 2);
  assert.equal(found[0], 'valid');
  assert.match(found[1] ?? '', /'x' is not a valid value of the atomic type 'xs:int'/);
});
