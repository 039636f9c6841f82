import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { loadConfig, usableConfig } from '#config';
import { formatProblem, ProblemsError } from '#errors';
import { builderClasses, formatterClasses } from './class-map.ts';
import { readMessageFormats } from './configured-formats.ts';
import { builtInBuilder, createMessageFormats, defaultFormats, type MessageFormats } from './message-formats.ts';

const extensions = mkdtempSync(join(tmpdir(), 'millrace-formats-'));
after(() => rmSync(extensions, { recursive: true }));
writeFileSync(
  join(extensions, 'csv.mjs'),
  `export class CsvBuilder {
     name = 'csv';
     build({ bytes }) { return { form: 'json', text: JSON.stringify(bytes.toString().split(',')) }; }
   }
   export default { name: 'csv out', format: ({ payload }) => JSON.parse(payload.toJsonText()).join(',') };
   export const useless = { name: 'useless' };
   export class Failing { constructor() { throw new Error('no licence'); } }`,
);

function read(text: string): Promise<MessageFormats> {
  return readMessageFormats(usableConfig(loadConfig({ text, file: 'deployment.toml', env: {} })), extensions);
}

const byDefault: readonly (readonly [type: string, builder: string, formatter: string | undefined])[] = [
  ['application/xml', 'xml', 'xml'],
  ['APPLICATION/XML; charset=utf-8', 'xml', 'xml'],
  ['text/xml', 'xml', 'soap'],
  ['application/soap+xml; action="a"', 'soap', 'soap'],
  ['application/json', 'json', 'json'],
  ['application/json, text/plain', 'json', 'json'],
  ['text/javascript', 'json-mapped', 'json-mapped'],
  ['application/json/badgerfish', 'json-badgerfish', 'json-badgerfish'],
  ['application/x-www-form-urlencoded', 'form-urlencoded', 'form-urlencoded'],
  ['multipart/form-data; boundary=x', 'multipart-form-data', 'multipart-form-data'],
  ['multipart/related', 'multipart-related', 'multipart-related'],
  ['text/plain', 'text', 'text'],
  ['application/octet-stream', 'relay', 'relay'],
  ['application/binary', 'binary', 'binary'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'relay', 'relay'],
  ['text/html', 'relay', 'xml'],
  ['image/png', 'xml', undefined],
  ['', 'xml', undefined],
];
for (const [type, builder, formatter] of byDefault) {
  test(`without configuration ${type || 'an empty type'} is read as ${builder} and written as ${formatter ?? 'nothing'}`, () => {
    assert.equal(defaultFormats.builderFor(type, false).name, builder);
    assert.equal(defaultFormats.formatterFor(type)?.name, formatter);
  });
}

test('text/xml with a SOAPAction is SOAP', () => {
  assert.equal(defaultFormats.builderFor('text/xml', true).name, 'soap');
});

const byPattern: readonly (readonly [type: string, expected: string])[] = [
  ['image/png', 'binary'],
  ['IMAGE/png', 'text'],
  ['application/vnd.acme+json', 'json'],
  ['application/vnd.acme+JSON', 'text'],
  ['application/json', 'json'],
  ['a/b', 'text'],
];
for (const [type, expected] of byPattern) {
  test(`keys are tried as regular expressions for the whole type: ${type} is read as ${expected}`, () => {
    const formats = createMessageFormats({
      builders: new Map([
        ['image/.*', builtInBuilder('binary')],
        [String.raw`application/.*\+json`, builtInBuilder('json')],
        ['*', builtInBuilder('xml')],
        ['.*/.*', builtInBuilder('text')],
      ]),
    });
    assert.equal(formats.builderFor(type, false).name, expected);
    // A remembered result is the same.
    assert.equal(formats.builderFor(type, false).name, expected);
  });
}

for (const [className, kind] of Object.entries(builderClasses)) {
  test(`${className} reads as ${kind}`, async () => {
    const formats = await read(`[message_builders]\napplication_binary = "${className}"\n`);
    assert.equal(formats.builderFor('application/binary', false).name, kind);
  });
}
for (const [className, kind] of Object.entries(formatterClasses)) {
  test(`${className} writes as ${kind}`, async () => {
    const formats = await read(`[message_formatters]\napplication_binary = "${className}"\n`);
    assert.equal(formats.formatterFor('application/binary')?.name, kind);
  });
}

test('a custom entry wins over the fixed key of the same type, whatever its case', async () => {
  const formats = await read(`
[message_builders]
application_json = "org.apache.axis2.format.PlainTextBuilder"
[[custom_message_builders]]
content_type = "Application/JSON"
class = "org.apache.axis2.format.BinaryBuilder"
`);
  assert.equal(formats.builderFor('application/json', false).name, 'binary');
});

test('blocking calls have formats of their own', async () => {
  const formats = await read(`
[blocking.message_builders]
application_json = "org.apache.axis2.format.PlainTextBuilder"
[[blocking.custom_message_formatters]]
content_type = "a/b"
class = "org.apache.axis2.format.PlainTextFormatter"
`);
  assert.equal(formats.builderFor('application/json', false).name, 'json');
  assert.equal(formats.formatterFor('a/b'), undefined);
  assert.equal(formats.blocking.builderFor('application/json', false).name, 'text');
  assert.equal(formats.blocking.formatterFor('a/b')?.name, 'text');
});

test('a module of the extensions takes the place of a class, by name or by the class map', async () => {
  const formats = await read(`
[[custom_message_builders]]
content_type = "text/csv"
class = "./csv.mjs#CsvBuilder"
[[custom_message_formatters]]
content_type = "text/csv"
class = "com.acme.CsvFormatter"
[millrace.class_map]
"com.acme.CsvFormatter" = "./csv.mjs"
`);
  const built = formats.builderFor('text/csv', false).build({ bytes: Buffer.from('a,b'), contentType: '', query: '' });
  assert.deepEqual(built, { form: 'json', text: '["a","b"]' });
  assert.equal(formats.formatterFor('text/csv')?.name, 'csv out');
});

const refusals: readonly (readonly [what: string, className: string, expected: RegExp])[] = [
  [
    'an unknown class',
    'org.apache.axis2.format.PlainTextBuilde',
    /deployment\.toml:2:20: error: message_builders\.application_json: the class .* is no built-in builder; expected[\s\S]*did you mean org\.apache\.axis2\.format\.PlainTextBuilder\?/,
  ],
  ['a module that is not there', './missing.mjs', /the module ".\/missing\.mjs" cannot be loaded/],
  ['an export that is not there', './csv.mjs#Nothing', /exports no builder; expected .* the method "build"/],
  ['an export that is no builder', './csv.mjs#useless', /exports no builder/],
  ['a class that cannot be made', './csv.mjs#Failing', /no licence/],
  ['a package that is not installed', '@acme/csv', /cannot be loaded/],
];
for (const [what, className, expected] of refusals) {
  test(`${what} stops the start and says where and what was expected`, async () => {
    await assert.rejects(read(`[message_builders]\napplication_json = "${className}"\n`), (error) => {
      assert.ok(error instanceof ProblemsError);
      assert.match(error.problems.map((problem) => formatProblem(problem)).join('\n'), expected);
      assert.equal(error.code, 'MR_MESSAGE_FORMAT_CLASS');
      return true;
    });
  });
}

test('everything that is wrong is said at once', async () => {
  const text = '[message_builders]\ntext_plain = "A"\n[blocking.message_formatters]\ntext_xml = "B"\n';
  await assert.rejects(read(text), (error) => error instanceof ProblemsError && error.problems.length === 2);
});
