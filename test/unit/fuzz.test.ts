import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import test, { type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { SaxesParser } from 'saxes';
import { MillraceError } from '#errors';
import {
  compileExpression,
  compileFreemarker,
  compileInlineTemplate,
  compileJsonExpression,
  compileJsonPath,
  compilePathTemplate,
  compilePayloadTemplate,
  compileUriTemplate,
  compileValue,
  compileXPath,
} from '#expression';
import { createXQuery, type XQueryValue } from '#expression/xquery';
import { JsonError, jsonToXml, JsonMappingError, parseJson, xmlToJsonText } from '#json';
import { parseXml, serializeXml, XmlError } from '#xml';
import { createTestScope, type TestMessage } from '../../src/expression/test-scope.ts';
import { corpusDirectory, hasCorpus } from '../helpers/corpus.ts';
import { fuzzSeed } from '../helpers/fuzz-seed.ts';
import { jsonPathText, jsonText, synapseText, xmlText, xpathText, xqueryText } from '../helpers/fuzz-grammar.ts';

/** How many times longer than usual to look. */
const scale = Number(process.env['MILLRACE_FUZZ_SCALE'] ?? 1);

const message: TestMessage = {
  json: '{"a":[1,2,{"a":"x","id":3}],"order":{"id":"1","text":null},"b-c":true,"_x":[],"ä":2.50}',
  properties: {
    'default:p': 'value',
    'axis2:p': 200,
    'default:q': '[1,{"a":2}]',
    'default:e': parseXml('<e><a/></e>').root,
  },
  headers: { h: '42' },
  variables: { v: new Map<string, unknown>([['a', [1, 2]]]) },
  templateParameters: { f: 'param' },
  configurations: { c: '1' },
  resources: { a: '{"b":1}' },
  to: '/p?q=1',
};
const scope = createTestScope(message);
const namespaces = new Map([['p', 'urn:p']]);

test('grammar-made expressions raise nothing but errors of their languages', (t) => {
  const expression = fc.oneof(
    xpathText,
    jsonPathText.map((path) => `json-eval(${path})`),
    synapseText.map((inner) => `\${${inner}}`),
  );
  run(t, 2200, expression, (text) => useExpression(text));
});

test('mutated expressions of existing artifacts raise nothing but errors of their languages', skipped(), (t) => {
  run(t, 2400, mutated(corpusTexts().expressions), (text) => useExpression(text));
});

test('what XPath 1.0 refuses and a later version is asked about raises nothing but errors either', (t) => {
  const refused = fc.constantFrom('for $i in //a return $i', 'if (//a) then 1 else 2', 'upper-case(//a/string())');
  const expression = fc.oneof(xpathText, refused).map((text) => `(${text})[. eq '1']`);
  run(t, 200, expression, (text) =>
    survives(text, () => compileExpression(text, { namespaces }).evaluateString(scope)),
  );
});

test('grammar-made queries raise nothing but errors of their language', (t) => {
  run(t, 250, xqueryText, useQuery);
});

test('mutated queries raise nothing but errors of their language', (t) => {
  run(t, 250, mutated(queries), useQuery);
});

test('grammar-made templates raise nothing but errors of their languages', (t) => {
  const part = fc.oneof(
    synapseText.map((inner) => `\${${inner}}`),
    jsonText,
    fc.constantFrom('$1', '{+path}', '{x}', '{/a,b}', '{?q}', '*', 'text', '"${payload.a}"', '<#if x>', '</#if>'),
  );
  const template = fc.array(part, { maxLength: 4 }).map((parts) => parts.join(''));
  run(t, 600, template, (text) => useTemplate(text));
});

test('mutated payload templates of existing artifacts raise nothing but errors of their languages', skipped(), (t) => {
  run(t, 600, mutated(corpusTexts().templates), (text) => useTemplate(text));
});

test('the JSON parser accepts what JSON.parse accepts, and what it accepts maps to XML or is refused', (t) => {
  run(t, 1000, jsonText, (text) => useJson(text));
  run(t, 1000, mutated(['{"a":[1,-2.5e3,true,null,{"b":"\\u0041\\n"}],"@x":"y","$":""}']), (text) => useJson(text));
});

test('the XML parser accepts what another one accepts, and what it accepts maps to JSON or is refused', (t) => {
  run(t, 1000, xmlText, (text) => useXml(text));
});

test('the XML parser accepts what another one accepts of mutated artifacts', skipped(), (t) => {
  const short = corpusTexts().documents.filter((text) => text.length < 2000);
  run(t, 1000, mutated(short), (text) => useXml(text));
});

function skipped(): { skip: string | false } {
  return { skip: hasCorpus ? false : 'the corpus is absent' };
}

/** Shows the seed, so that a failure on another machine can be repeated here. */
function run(t: TestContext, count: number, texts: fc.Arbitrary<string>, use: (text: string) => void): void {
  t.diagnostic(`MILLRACE_FUZZ_SEED=${fuzzSeed}`);
  fc.assert(fc.property(texts, use), { numRuns: count * scale, seed: fuzzSeed, verbose: 1 });
}

function useExpression(text: string): void {
  survives(text, () => {
    const isXPath = !/^\s*(?:json-eval\(|\$\{)/.test(text);
    const expression = isXPath ? compileXPath(text, namespaces) : compileExpression(text, { namespaces });
    expression.evaluateBoolean(scope);
    return expression.evaluateString(scope);
  });
  survives(text, () => compileValue(`{\${${text}}}`, { namespaces }).evaluate(scope));
  survives(text, () => compileJsonExpression(text, { namespaces }).evaluateValue(scope));
  survives(text, () => compileJsonPath(text).locate(parseJson(message.json ?? ''), scope));
}

const queries: readonly string[] = [
  'for $o in //order where $o/@id > 1 order by $o/symbol return <line id="{$o/@id}">{$o/symbol/text()}</line>',
  'declare variable $x external; declare function local:f($n) { if ($n < 1) then 1 else $n * local:f($n - 1) }; local:f($x)',
  'let $d := $doc/e return <r xmlns:q="urn:q">{ count($d/a), string-join(("a", "b"), ","), $d/a }</r>',
  'typeswitch (1) case $i as xs:integer return $i + 1 default return "other"',
];

function useQuery(text: string): void {
  const variables = new Map<string, XQueryValue>([
    ['x', 3],
    ['doc', { document: parseXml('<e><a/></e>').root }],
  ]);
  survives(text, () => createXQuery(text).evaluate(scope, variables));
}

function useTemplate(text: string): void {
  survives(text, () => compileInlineTemplate(text, { namespaces }).evaluate(scope));
  for (const media of ['json', 'xml', 'text'] as const) {
    survives(text, () => compilePayloadTemplate(text, { media, args: [], namespaces })(scope));
  }
  survives(text, () => compileFreemarker(text, { media: 'json', args: [] })(scope));
  survives(text, () => compileUriTemplate(text).expand(() => 'v'));
  survives(text, () => compilePathTemplate(text).match('/a/1/b.2?x=1'));
}

/** Refusals are errors of ours; anything else, such as an overflow of the stack, is a fault. */
function survives(text: string, act: () => unknown): void {
  try {
    act();
  } catch (error) {
    assert(error instanceof MillraceError, `${text}: ${String(error)}`);
  }
}

function useJson(text: string): void {
  const own = accepts(() => parseJson(text), JsonError);
  assert.equal(
    own,
    accepts(() => JSON.parse(text) as unknown, SyntaxError),
    text,
  );
  for (const options of [{}, { validNames: true, writeMultiple: true, nil: true }]) {
    try {
      const view = jsonToXml(text, options);
      if (view) parseXml(serializeXml(view));
    } catch (error) {
      assert(
        error instanceof JsonError || error instanceof JsonMappingError || isControl(error),
        `${text}: ${String(error)}`,
      );
    }
  }
}

/** Strings of JSON may hold characters that markup cannot. */
function isControl(error: unknown): boolean {
  return error instanceof XmlError && /the character U\+/.test(error.message);
}

function useXml(text: string): void {
  // The other parser takes document types.
  if (text.includes('<!DOCTYPE')) return;
  const own = accepts(() => parseXml(text), XmlError);
  assert.equal(
    own,
    accepts(() => readBySaxes(text), SaxesRefusal),
    text,
  );
  if (!own) return;
  const { root } = parseXml(text);
  assert.equal(serializeXml(parseXml(serializeXml(root)).root), serializeXml(root), text);
  accepts(() => parseJson(xmlToJsonText(root)), JsonMappingError);
}

class SaxesRefusal extends Error {}

function readBySaxes(text: string): void {
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw new SaxesRefusal(error.message);
  });
  parser.write(text).close();
}

function accepts(act: () => unknown, kind: new (...args: never[]) => Error): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (!(error instanceof kind)) throw error;
    return false;
  }
}

interface CorpusTexts {
  readonly documents: readonly string[];
  readonly expressions: readonly string[];
  readonly templates: readonly string[];
}

let known: CorpusTexts | undefined;

/** Documents, expressions and payload templates, as they stand in the artifacts. */
function corpusTexts(): CorpusTexts {
  known ??= readCorpusTexts();
  return known;
}

function readCorpusTexts(): CorpusTexts {
  const documents = readdirSync(corpusDirectory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.xml'))
    .sort()
    .map((name) => readFileSync(join(corpusDirectory, name), 'utf8'));
  const all = (pattern: RegExp): string[] => [
    ...new Set(documents.flatMap((text) => [...text.matchAll(pattern)].map((match) => unescape(match[2] ?? '')))),
  ];
  return {
    documents,
    expressions: [
      ...all(/\s(expression|xpath|source)="([^"]{2,200})"/g),
      ...all(/(\$)(\{[^}\n]+\})/g).map((text) => `$${text}`),
    ],
    templates: all(/<(format)[^>]*>([\s\S]{2,600}?)<\/format>/g),
  };
}

function unescape(text: string): string {
  return text.replace(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => entities[name] ?? '');
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const noise = fc.constantFrom(
  ...`[ ] ( ) { } $ . .. / // @ * ' " : , - 1 ? = a | % < > & ! # \\ ]]> <a> <!-- ::`.split(' '),
  ' ',
  '\n',
  '\0',
  '😀',
  '\ud800',
  '\ufffe',
  '((((((((((',
  '[[[[[[[[[[',
  '999999999999',
);

/** Texts with some pieces cut out and others put in. */
function mutated(texts: readonly string[]): fc.Arbitrary<string> {
  const edit = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(4), noise);
  return fc.tuple(fc.constantFrom(...texts), fc.array(edit, { minLength: 1, maxLength: 4 })).map(([text, edits]) =>
    edits.reduce((result, [place, cut, added]) => {
      const at = Math.floor(place * result.length);
      return result.slice(0, at) + added + result.slice(at + cut);
    }, text),
  );
}
