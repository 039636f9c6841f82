import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { parseXml, serializeXml } from '#xml';
import { JsonError, JsonMappingError, jsonToXml, xmlToJsonText, type MappingOptions } from './index.ts';

interface Row {
  readonly to: 'xml' | 'json';
  readonly json: string | null;
  readonly xml: string | null;
  readonly options?: Omit<MappingOptions, 'keepString' | 'replaceMarker'> & {
    readonly keepString?: string;
    readonly replaceMarker?: string;
  };
  readonly oracle: string;
}

const fixture = join(import.meta.dirname, '../../test/fixtures/mapping/rows.json');
const rows = JSON.parse(readFileSync(fixture, 'utf8')) as readonly Row[];

test('JSON and XML become one another by the rules of the original at every edge', () => {
  for (const row of rows) {
    const expected = row.to === 'xml' ? row.xml : row.json;
    assert.equal(outcome(row), expected, `${row.json} ${row.xml} ${JSON.stringify(row.options)} (${row.oracle})`);
  }
});

function outcome(row: Row): string | null {
  const options = optionsOf(row);
  try {
    if (row.to === 'json') return xmlToJsonText(parseXml(row.xml ?? '').root, options);
    const view = jsonToXml(row.json ?? '', options);
    return view ? serializeXml(view) : '';
  } catch (error) {
    if (error instanceof JsonError || error instanceof JsonMappingError) return null;
    throw error;
  }
}

function optionsOf({ options: { keepString, replaceMarker, ...rest } = {} }: Row): MappingOptions {
  const kept = keepString === undefined ? undefined : new RegExp(keepString);
  return {
    ...rest,
    ...(kept ? { keepString: (text: string) => kept.test(text) } : {}),
    ...(replaceMarker === undefined
      ? {}
      : {
          replaceMarker: (text: string) =>
            text.startsWith(replaceMarker) ? text.slice(replaceMarker.length) : undefined,
        }),
  };
}
