import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { parseJson } from '../parse.ts';
import { compileJsonSchema, JsonSchemaError, type JsonSchema } from './schema.ts';

interface Row {
  readonly schema: unknown;
  readonly document: string;
  readonly valid: boolean;
}

const rows = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../test/fixtures/json-schema/rows.json'), 'utf8'),
) as readonly Row[];

/** The engine passes over a property `__proto__` of a schema. */
const isDeviation = (schema: string): boolean => schema.includes('__proto__');

test('documents are valid where another validator of the same draft finds them valid', (context) => {
  let failures = '';
  for (const { schema, document, valid } of rows) {
    const text = JSON.stringify(schema);
    const findings = messagesOf(text, document);
    const same = (findings.length === 0) === valid;
    if (!same && !isDeviation(text)) failures += `${text} ${document}: expected ${valid}, found ${findings[0]}\n`;
  }
  assert.equal(failures, '');
  const count = rows.filter(({ schema }) => !isDeviation(JSON.stringify(schema))).length;
  context.diagnostic(`at least ${count} of ${rows.length}`);
});

const messageRows: readonly (readonly [schema: string, document: string, message: string])[] = [
  [
    '{"type":"integer"}',
    '"a"',
    'instance type (string) does not match any allowed primitive type (allowed: ["integer"])',
  ],
  ['{"required":["a"]}', '{}', 'object has missing required properties (["a"])'],
  [
    '{"additionalProperties":false}',
    '{"b":1}',
    'object instance has properties which are not allowed by the schema: ["b"]',
  ],
  ['{"enum":["a",1]}', '"b"', 'instance value ("b") not found in enum (possible values: ["a",1])'],
  ['{"minimum":5}', '1', 'numeric instance is lower than the required minimum (minimum: 5, found: 1)'],
  ['{"maximum":5}', '7', 'numeric instance is greater than the required maximum (maximum: 5, found: 7)'],
  ['{"minLength":3}', '"ab"', 'string "ab" is too short (length: 2, required minimum: 3)'],
  ['{"maxLength":1}', '"ab"', 'string "ab" is too long (length: 2, maximum allowed: 1)'],
  ['{"pattern":"^a"}', '"b"', 'ECMA 262 regex "^a" does not match input string "b"'],
  ['{"minItems":2}', '[1]', 'array is too short: must have at least 2 elements but instance has 1 elements'],
  ['{"maxItems":1}', '[1,2]', 'array is too long: must have at most 1 elements but instance has 2 elements'],
  ['{"uniqueItems":true}', '[1,1]', 'array must not contain duplicate elements'],
  ['{"multipleOf":2}', '5', 'remainder of division is not zero (5 / 2)'],
  ['{"minProperties":1}', '{}', 'object has too few properties (found 0 but schema requires at least 1)'],
  ['{"not":{}}', '1', 'instance matched a schema which it should not have'],
];

test('findings are told in the words of the original', () => {
  for (const [schema, document, message] of messageRows) assert.equal(messagesOf(schema, document).at(-1), message);
});

test('a schema without $schema is one of draft 04', () => {
  const schema = '{"minimum":1,"exclusiveMinimum":true}';
  assert.equal(messagesOf(schema, '1').length, 1);
  assert.deepEqual(messagesOf(schema, '2'), []);
});

test('patterns take time linear in the text', () => {
  assert.equal(messagesOf('{"pattern":"^(a+)+$"}', JSON.stringify(`${'a'.repeat(50_000)}!`)).length, 1);
});

test('no more than a hundred findings are told', () => {
  assert.equal(
    messagesOf('{"items":{"type":"string"}}', JSON.stringify(Array.from({ length: 500 }, () => 1))).length,
    100,
  );
});

test('references to other documents come from the resolver only', () => {
  const text = '{"properties":{"a":{"$ref":"types.json#/definitions/n"}}}';
  const other = { key: 'gov:types.json', text: '{"definitions":{"n":{"type":"integer"}}}' };
  const schema = compileJsonSchema({ key: 'k', text }, (location) => (location === 'types.json' ? other : undefined));
  assert.equal(schema.validate(parseJson('{"a":"x"}')).length, 1);
  for (const reference of ['http://127.0.0.1:1/a.json', 'file:///etc/passwd']) {
    const refused = JSON.stringify({ properties: { a: { $ref: reference } } });
    assert.throws(() => compileJsonSchema({ key: 'k', text: refused }, () => undefined), /can't resolve reference/);
  }
});

test('what is no schema is refused with its key', () => {
  for (const text of ['{', '{"type":"nothing"}', '{"pattern":"("}', '"text"']) {
    assert.throws(
      () => compileJsonSchema({ key: 'gov:s.json', text }, () => undefined),
      (error) => error instanceof JsonSchemaError && error.message.startsWith('gov:s.json: '),
      text,
    );
  }
});

const compiledSchemas = new Map<string, JsonSchema>();

function messagesOf(schema: string, document: string): string[] {
  const compiled = compiledSchemas.get(schema) ?? compileJsonSchema({ key: 'k', text: schema }, () => undefined);
  compiledSchemas.set(schema, compiled);
  return compiled.validate(parseJson(document)).map(({ message }) => message);
}
