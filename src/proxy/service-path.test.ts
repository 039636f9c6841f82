import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findService } from './service-path.ts';

const services = new Set(['Quote', 'quotes', 'quotes/live', 'v1.Quote', 'With Blank']);
const find = (target: string): unknown => {
  const found = findService(target, (name) => services.has(name));
  return found && [found.name, found.port, found.postfix];
};

const rows: readonly (readonly [target: string, expected: readonly unknown[] | undefined])[] = [
  ['/services/Quote', ['Quote', undefined, '']],
  ['/services/Quote/', ['Quote', undefined, '/']],
  ['/services/Quote?wsdl', ['Quote', undefined, '?wsdl']],
  ['/services/Quote/a/b?c=d/e', ['Quote', undefined, '/a/b?c=d/e']],
  ['/services/Quote.QuoteHttpSoap11Endpoint', ['Quote', 'QuoteHttpSoap11Endpoint', '']],
  ['/services/v1.Quote', ['v1.Quote', undefined, '']],
  ['/services/v1.Quote.Port/x', ['v1.Quote', 'Port', '/x']],
  ['/services/quotes/live/1', ['quotes/live', undefined, '/1']],
  ['/services/quotes/dead/1', ['quotes', undefined, '/dead/1']],
  ['/services/With%20Blank', ['With Blank', undefined, '']],
  ['/services/t/carbon.super/Quote/a', ['Quote', undefined, '/a']],
  ['/soap/Quote', ['Quote', undefined, '']],
  ['/services/t/other/Quote', undefined],
  ['/services/Unknown', undefined],
  ['/services/.Quote', undefined],
  ['/services/%E0%A4%A', undefined],
  ['/services/', undefined],
  ['/services', undefined],
  ['/Quote', undefined],
];

for (const [target, expected] of rows) {
  test(`${target} is ${expected ? `the service ${String(expected[0])}` : 'no service'}`, () => {
    assert.deepEqual(find(target), expected);
  });
}
