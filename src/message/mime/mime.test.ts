import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MillraceError } from '#errors';
import { headerParameters, parsePartHeaders, quoted } from './headers.ts';
import { decodedBody, parseMultipart } from './parts.ts';
import { MultipartParser } from './parser.ts';
import { writeMultipart } from './write.ts';

const type = 'multipart/form-data; boundary=b';

function textsOf(body: string, contentType = type): string[] {
  return parseMultipart(Buffer.from(body), contentType).map((part) => Buffer.from(part.body).toString());
}

const wellFormed: readonly (readonly [what: string, body: string, parts: readonly string[]])[] = [
  ['one part', '--b\r\nA: 1\r\n\r\nx\r\n--b--\r\n', ['x']],
  ['no line end after the last boundary', '--b\r\nA: 1\r\n\r\nx\r\n--b--', ['x']],
  ['two parts', '--b\r\n\r\nx\r\n--b\r\n\r\ny\r\n--b--', ['x', 'y']],
  ['no part', '--b--', []],
  ['a preamble and an epilogue', 'hello\r\n--b\r\n\r\nx\r\n--b--\r\nbye', ['x']],
  ['padding after the boundary', '--b \t\r\n\r\nx\r\n--b--', ['x']],
  ['a part without headers', '--b\r\n\r\nx\r\n--b--', ['x']],
  ['an empty part', '--b\r\nA: 1\r\n\r\n\r\n--b--', ['']],
  ['a part that ends with its headers', '--b\r\nA: 1\r\n\r\n--b--', ['']],
  ['line ends inside', '--b\r\n\r\nx\r\n\r\ny\r\n--b--', ['x\r\n\r\ny']],
  ['a bare line feed before dashes', '--b\r\n\r\nx\n--b\r\n--b--', ['x\n--b']],
  ['dashes that are no boundary', '--b\r\n\r\n--\r\n-b\r\n--b--', ['--\r\n-b']],
  ['a carriage return at the end', '--b\r\n\r\nx\r\r\n--b--', ['x\r']],
];
for (const [what, body, parts] of wellFormed) {
  test(`a multipart body with ${what} is read`, () => assert.deepEqual(textsOf(body), parts));
}

const malformed: readonly (readonly [what: string, body: string, contentType: string, status: number])[] = [
  ['without a boundary in its type', '--b--', 'multipart/form-data', 400],
  ['with an empty boundary', '--\r\n', 'multipart/form-data; boundary=""', 400],
  ['with a boundary of 71 characters', '', `multipart/form-data; boundary=${'x'.repeat(71)}`, 400],
  ['with a forbidden character in the boundary', '', 'multipart/form-data; boundary="a\tb"', 400],
  ['that is empty', '', type, 400],
  ['that ends within a part', '--b\r\n\r\nx', type, 400],
  ['that ends within headers', '--b\r\nA: 1', type, 400],
  ['without its closing boundary', '--b\r\n\r\nx\r\n--b\r\n', type, 400],
  ['with text after a boundary', '--bx\r\n\r\nx\r\n--b--', type, 400],
  ['with an endless boundary line', `--b${' '.repeat(300)}\r\n\r\n--b--`, type, 400],
  ['with bare line feeds only', '--b\n\nx\n--b--', type, 400],
  ['with a header without a colon', '--b\r\nA\r\n\r\nx\r\n--b--', type, 400],
  ['with a header without a name', '--b\r\n: 1\r\n\r\nx\r\n--b--', type, 400],
  ['with a NUL in a header', '--b\r\nA: \0\r\n\r\nx\r\n--b--', type, 400],
  ['with a carriage return in a header', '--b\r\nA: x\ry\r\n\r\nx\r\n--b--', type, 400],
  ['with 101 headers in a part', `--b\r\n${'A: 1\r\n'.repeat(101)}\r\nx\r\n--b--`, type, 413],
  ['with 20 kB of headers', `--b\r\nA: ${'x'.repeat(20_000)}\r\n\r\nx\r\n--b--`, type, 413],
  ['with 20 kB of headers that do not end', `--b\r\nA: ${'x'.repeat(20_000)}`, type, 413],
  ['with an endless preamble', 'x'.repeat(20_000), type, 413],
  ['with 1001 parts', `${'--b\r\n\r\nx\r\n'.repeat(1001)}--b--`, type, 413],
];
for (const [what, body, contentType, status] of malformed) {
  test(`a multipart body ${what} is refused with ${status}`, () => {
    assert.throws(
      () => textsOf(body, contentType),
      (error) => error instanceof MillraceError && error.code === 'MR_MULTIPART' && error.status === status,
    );
  });
}

const parameters: readonly (readonly [value: string, expected: Readonly<Record<string, string>>])[] = [
  ['form-data; name=a', { name: 'a' }],
  ['form-data; name="a b"; filename="c.txt"', { name: 'a b', filename: 'c.txt' }],
  ['form-data; NAME=a', { name: 'a' }],
  ['form-data; name="a;b=c"', { name: 'a;b=c' }],
  [String.raw`form-data; name="a\"b\\c"`, { name: String.raw`a"b\c` }],
  [String.raw`form-data; name=a; filename="C:\dir\file.txt"`, { name: 'a', filename: String.raw`C:\dir\file.txt` }],
  ["form-data; name=a; filename*=UTF-8''%e2%82%ac.txt", { name: 'a', filename: '€.txt' }],
  ["form-data; name=a; filename=e.txt; filename*=UTF-8''%e2%82%ac.txt", { name: 'a', filename: '€.txt' }],
  ["form-data; name=a; filename*=UTF-8''%zz", { name: 'a' }],
  ['form-data; name=first; name=second', { name: 'first' }],
  ['form-data', {}],
];
for (const [value, expected] of parameters) {
  test(`the parameters of ${value} are found`, () => {
    assert.deepEqual(Object.fromEntries(headerParameters(value)), expected);
  });
}

test('headers of a part are UTF-8 or else ISO-8859-1, and folded lines are joined', () => {
  assert.deepEqual(parsePartHeaders(Buffer.from('A: ä\r\nB: x\r\n y'), 10), ['A', 'ä', 'B', 'x y']);
  assert.deepEqual(parsePartHeaders(Buffer.from('A: ä', 'latin1'), 10), ['A', 'ä']);
});

const transferEncodings: readonly (readonly [encoding: string, body: string, expected: string])[] = [
  ['base64', 'aGVs\r\nbG8=', 'hello'],
  ['BASE64', 'aGVsbG8=', 'hello'],
  ['quoted-printable', 'h=C3=A4=\r\nllo  \r\n', 'hällo\r\n'],
  ['8bit', 'aGVsbG8=', 'aGVsbG8='],
  ['binary', 'x', 'x'],
];
for (const [encoding, body, expected] of transferEncodings) {
  test(`the transfer encoding ${encoding} is undone`, () => {
    const part = { headers: ['Content-Transfer-Encoding', encoding], body: Buffer.from(body) };
    assert.equal(Buffer.from(decodedBody(part)).toString(), expected);
  });
}

test('a header of a part cannot begin another line', () => {
  const { bytes } = writeMultipart([{ headers: ['A', 'x\r\nB: y'], body: Buffer.alloc(0) }]);
  const [part] = parseMultipart(bytes, `multipart/mixed; boundary=${writtenBoundary(bytes)}`);
  assert.deepEqual(part?.headers, ['A', 'x  B: y']);
});

function writtenBoundary(bytes: Uint8Array): string {
  return /^--(\S+)/.exec(Buffer.from(bytes).toString('latin1'))?.[1] ?? '';
}

const parts = fc.array(
  fc.record({
    headers: fc
      .array(fc.tuple(fc.stringMatching(/^[A-Za-z-]{1,12}$/), fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/)), {
        maxLength: 4,
      })
      .map((pairs) => pairs.flat()),
    body: fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom('\r\n', '\r\n--', '--', '\r', '\r\n\r\n--MillraceBoundary_').map((text) => Buffer.from(text)),
    ),
  }),
  { maxLength: 8 },
);

test('parsing undoes writing, in whatever chunks the body arrives', () => {
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 50 }), (written, size) => {
      const { bytes, boundary } = writeMultipart(written);
      const read: { headers: string[]; body: Buffer }[] = [];
      const parser = new MultipartParser(boundary, {
        part: (headers) => void read.push({ headers, body: Buffer.alloc(0) }),
        data(chunk) {
          const last = read.at(-1);
          if (last) last.body = Buffer.concat([last.body, chunk]);
        },
        end: () => undefined,
      });
      for (let at = 0; at < bytes.length; at += size) parser.write(bytes.subarray(at, at + size));
      parser.end();
      assert.deepEqual(
        read,
        written.map(({ headers, body }) => ({ headers, body: Buffer.from(body) })),
      );
    }),
  );
});

test('a quoted parameter is read as it was written', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!/[\r\n\0]/.test(text));
      assert.equal(headerParameters(`form-data; name=${quoted(text)}`).get('name'), text);
    }),
  );
});

test('whatever a multipart body holds, it is read or refused, never anything else', () => {
  const pieces = fc.constantFrom('--b', '--b--', '\r\n', '\n', '\r', ': ', 'A', ' ', '\0', 'Content-Disposition', '"');
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 40 }), (texts) => {
      try {
        parseMultipart(Buffer.from(texts.join('')), type);
      } catch (error) {
        assert.ok(error instanceof MillraceError, String(error));
      }
    }),
  );
});
