import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { MillraceError } from '#errors';
import { parseJson, type JsonValue } from '#json';
import { parseXml } from '#xml';
import { compileTemplate } from './compile.ts';
import { TemplateFailure, TemplateSyntaxError } from './errors.ts';
import { XmlNodes } from './xml-nodes.ts';
import type { Limits } from './environment.ts';
import type { Value } from './values.ts';

interface RecordedError {
  readonly kind: string;
  readonly line: number;
  readonly column: number;
  /** The expression that the oracle blames; where it blames none its place is that of the directive around. */
  readonly expression?: string | null;
}

interface Expected {
  readonly output?: string;
  readonly error?: RecordedError;
}

interface Row extends Expected {
  readonly name: string;
  readonly template: string;
  readonly model: JsonValue;
  /** What we do instead, and why. */
  readonly ours?: Expected;
  readonly deviation?: string;
}

const folder = join(import.meta.dirname, '../../../../test/fixtures/freemarker');
const files = globSync('*.json', { cwd: folder }).sort();

function rowsOf(file: string): readonly Row[] {
  const text = readFileSync(join(folder, file), 'utf8');
  const models = parseJson(text);
  assert.ok(Array.isArray(models));
  const rows = JSON.parse(text) as readonly Row[];
  // Numbers of models keep their text.
  return rows.map((row, index) => {
    const model = models[index];
    return { ...row, model: (model instanceof Map ? model.get('model') : undefined) ?? null };
  });
}

function render(template: string, model: JsonValue | undefined, limits?: Limits): string {
  const root = new Map<string, Value>(model instanceof Map ? model : []);
  const xml = root.get('xml');
  if (typeof xml === 'string') root.set('payload', XmlNodes.ofDocument(parseXml(xml).root));
  return compileTemplate(template)({ root, now: 0, timeZone: 'UTC', ...(limits ? { limits } : {}) });
}

function check({ output, error }: Expected, row: Row): void {
  if (error === undefined) {
    assert.equal(render(row.template, row.model), output);
    return;
  }
  assert.throws(
    () => render(row.template, row.model),
    (thrown) => {
      assert.ok(thrown instanceof TemplateFailure || thrown instanceof TemplateSyntaxError, String(thrown));
      const kind = thrown instanceof TemplateFailure ? thrown.kind : 'syntax';
      const told = (name: string): boolean => kind === name || error.kind === name;
      if (told('syntax') || told('missing') || told('stop')) assert.equal(kind, error.kind, thrown.message);
      if (error.expression !== null) {
        assert.deepEqual({ line: thrown.line, column: thrown.column }, { line: error.line, column: error.column });
      }
      return true;
    },
  );
}

for (const file of files) {
  describe(`FreeMarker ${file.replace('.json', '')}`, () => {
    for (const row of rowsOf(file)) test(row.name, () => check(row.ours ?? row, row));
  });
}

describe('a FreeMarker template', () => {
  const limits = { steps: 500, output: 2000, depth: 20 };
  const runaways: Readonly<Record<string, string>> = {
    'an endless range': '<#list 1.. as i></#list>',
    'nested loops': '<#list 1..100 as a><#list 1..100 as b></#list></#list>',
    'endless recursion': '<#macro m><@m/></#macro><@m/>',
    'endless recursion of functions': '<#function f x><#return f(x)></#function>${f(1)}',
    'much output': '<#list 1..400 as i>0123456789</#list>',
    'captured output': '<#list 1..400 as i><#assign x>${x!}0123456789</#assign></#list>',
    'doubled texts': '<#assign s = "ab"><#list 1..30 as i><#assign s = s + s></#list>',
    'doubled replacements': '<#assign s = "ab"><#list 1..30 as i><#assign s = s?replace("a", "aa")></#list>',
    'doubled sequences': '<#assign s = [1]><#list 1..30 as i><#assign s = s + s></#list>',
    'wide padding': '${"a"?left_pad(1000000000)}',
    'huge chunks': '${[1]?chunk(1000000000, "-")?size}',
    'huge ranges': '${(1..2000000000)?reverse?size}',
    'squared numbers': '<#assign n = 10><#list 1..30 as i><#assign n = n * n></#list>',
    'a limit within an attempt': '<#attempt><#list 1.. as i></#list><#recover>no</#attempt>',
  };
  for (const [name, template] of Object.entries(runaways)) {
    test(`is stopped at its limits: ${name}`, () => {
      assert.throws(
        () => render(template, new Map(), limits),
        (thrown) => thrown instanceof TemplateFailure && thrown.kind === 'limit',
      );
    });
  }

  for (const [name, template] of [
    ['?new', '${"freemarker.template.utility.Execute"?new()}'],
    ['?api', '${payload?api.class}'],
    ['include', '<#include "/etc/passwd">'],
    ['import', '<#import "x" as y>'],
  ] as const) {
    test(`has no ${name}`, () => assert.throws(() => compileTemplate(template), TemplateSyntaxError));
  }

  test('may be written in square brackets when its header is', () => {
    assert.equal(
      render('[#ftl]\n[#list 1..3 as i]${i}[#if i > 2]![/#if][#sep],[/#list]<#if>', new Map()),
      '1,2,3!<#if>',
    );
  });

  test('finds XML descendants by two dots', () => {
    const model = new Map([['xml', '<a><b><x>1</x></b><x>2</x></a>']]);
    assert.equal(
      render('<#list payload..x as x>${x}<#sep>,</#list> ${payload.a.b..x} ${payload..x[1]}', model),
      '1,2 1 2',
    );
  });

  test('cannot reach the prototype of objects', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      assert.equal(
        render(`\${payload["${name}"]!"none"} \${${name}!"none"}`, parseJson('{"payload":{}}')),
        'none none',
      );
      assert.throws(() => compileTemplate(`\${1?${name}}`), TemplateSyntaxError);
      assert.throws(() => compileTemplate(`<#${name}>`), TemplateSyntaxError);
    }
  });

  test('says what a misspelt name could be', () => {
    assert.throws(() => compileTemplate('a\n${x?uper_case}'), {
      line: 2,
      column: 5,
      message: /did you mean "\?upper_case"/,
    });
    assert.throws(() => compileTemplate('<#lisst x as y></#lisst>'), {
      line: 1,
      column: 1,
      message: /did you mean <#list>/,
    });
  });

  const templates = files.flatMap((file) => rowsOf(file).map(({ template, model }) => ({ template, model })));
  const fragments = [
    '<#',
    '</#',
    '>',
    '${',
    '}',
    '(',
    ')',
    '[',
    ']',
    '?',
    '!',
    '..',
    '"',
    "'",
    '<#else>',
    '->',
    '\\',
    '0',
  ];
  test('that is damaged raises nothing but errors of its own', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...templates),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(8),
        fc.constantFrom('', ...fragments),
        ({ template, model }, place, length, insertion) => {
          const at = Math.floor(place * template.length);
          const damaged = template.slice(0, at) + insertion + template.slice(at + length);
          try {
            render(damaged, model, { steps: 20_000, output: 100_000, depth: 50 });
          } catch (error) {
            if (error instanceof TemplateSyntaxError || error instanceof TemplateFailure) return;
            assert.ok(error instanceof MillraceError, `${JSON.stringify(damaged)}: ${String(error)}`);
            assert.fail(`${JSON.stringify(damaged)}: ${error.code} ${error.message}`);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('nested deeper than the parser goes is refused', () => {
    for (const template of [
      `\${${'('.repeat(5000)}1${')'.repeat(5000)}}`,
      `\${${'-'.repeat(5000)}1}`,
      `\${${'[ '.repeat(5000)}}`,
      '<#if true>'.repeat(5000),
      `\${${'x!'.repeat(5000)}}`,
      `\${${'"${'.repeat(200)}`,
    ]) {
      assert.throws(() => compileTemplate(template), TemplateSyntaxError);
    }
  });
});
