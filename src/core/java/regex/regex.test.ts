import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { compileJavaRegex } from './regex.ts';
import { RegexSyntaxError } from './syntax.ts';

type Groups = readonly (string | null)[] | null;
/** Recorded from java.util.regex of OpenJDK 17. */
type Row = [
  pattern: string,
  text: string,
  matches: boolean,
  wholeGroups: Groups,
  foundAt: number,
  foundGroups: Groups,
  replaced: string,
  split: string[],
];
const fixtures = join(import.meta.dirname, '../../../../test/fixtures/core/java-regex.json');
const rows = JSON.parse(readFileSync(fixtures, 'utf8')) as Row[];

/** Undefined groups are null in the recording. */
function groupsOf(match: readonly (string | undefined)[] | undefined): Groups {
  return match ? Array.from(match, (group) => group ?? null) : null;
}

describe('regular expressions of Java', () => {
  it('match, find, replace and split as java.util.regex does', () => {
    for (const [pattern, text, matches, wholeGroups, foundAt, foundGroups, replaced, split] of rows) {
      const regex = compileJavaRegex(pattern);
      const found = regex.exec(text);
      assert.deepEqual(
        {
          matches: regex.matches(text),
          find: regex.find(text),
          wholeGroups: groupsOf(regex.execWhole(text)),
          foundAt: found?.index ?? -1,
          foundGroups: groupsOf(found),
          replaced: regex.replaceAll(text, '<$0>'),
          split: regex.split(text),
        },
        { matches, find: foundAt >= 0, wholeGroups, foundAt, foundGroups, replaced, split },
        `${pattern} on ${JSON.stringify(text)}`,
      );
    }
  });

  it('take flags from outside as from within', () => {
    assert.equal(compileJavaRegex('abc', { caseInsensitive: true }).matches('ABC'), true);
    assert.equal(compileJavaRegex('a.c', { dotAll: true }).matches('a\nc'), true);
    assert.equal(compileJavaRegex('a c', { comments: true }).matches('ac'), true);
  });

  it('finish on texts that make backtracking engines run for ever', () => {
    const text = `${'a'.repeat(50_000)}!`;
    for (const pattern of [
      '(a+)+b',
      '(a|a)*b',
      '(a|aa)+$',
      '(.*a){20}b',
      'a*a*a*a*a*b',
      '(\\w+\\s?)*$',
      '([a-z]+)*=',
      'a+b',
      '\\s*,\\s*',
      '(?:a?){500}a{500}b',
    ]) {
      const regex = compileJavaRegex(pattern);
      assert.equal(regex.matches(text), false, pattern);
      regex.find(text);
    }
    const nested = `${'('.repeat(150)}a${')?'.repeat(150)}b`;
    assert.equal(compileJavaRegex(nested).matches('ab'), true);
    assert.equal(compileJavaRegex('.*a.*b.*c').matches('ab'.repeat(20_000)), false);
  });

  it('admit look-around where it costs little and name the place where it does not', () => {
    const password = compileJavaRegex('^(?=.*[A-Z])(?=.*\\d)(?=.*[^\\w\\s]).{8,64}$');
    assert.deepEqual([password.matches('Passw0rd!'), password.matches('password')], [true, false]);
    const search = compileJavaRegex('(?=.*\\d).{8,}');
    assert.equal(search.find('x'.repeat(100)), false);
    assert.throws(() => search.find('x'.repeat(5000)), { code: 'MR_JAVA_REGEX_UNSUPPORTED' });
    for (const [pattern, place] of [
      ['(a+)+(?=b)', 6],
      ['(a*)*\\1', 6],
      ['x(?>(a|aa)+)+b', 2],
    ] as const) {
      assert.throws(
        () => compileJavaRegex(pattern),
        (error: Error & { code: string }) =>
          error.code === 'MR_JAVA_REGEX_UNSUPPORTED' && error.message.includes(`at character ${place} of`),
        pattern,
      );
    }
  });

  it('name the place of a syntax error', () => {
    const wrong: [string, number][] = [
      ['a(b', 2],
      ['a)b', 2],
      ['[a-', 4],
      ['*a', 1],
      ['a{2,1}', 2],
      ['{ "a"', 1],
      ['a{x', 2],
      ['\\y', 1],
      ['(?<a>x)(?<a>y)', 8],
      ['\\1(a)', 1],
      ['[z-a]', 3],
      ['(?y)a', 1],
      ['abc\\', 5],
      ['\\k<no>', 1],
    ];
    for (const [pattern, place] of wrong) {
      assert.throws(
        () => compileJavaRegex(pattern),
        (error) => error instanceof RegexSyntaxError && error.index + 1 === place,
        pattern,
      );
    }
    for (const pattern of ['\\p{InGreek}', '\\Gx', '\\X', '\\N{DIGIT ONE}']) {
      assert.throws(() => compileJavaRegex(pattern), { code: 'MR_JAVA_REGEX_UNSUPPORTED' }, pattern);
    }
  });

  it('replace with groups by number and name', () => {
    const date = compileJavaRegex('(?<y>\\d{4})-(\\d\\d)');
    assert.equal(date.replaceAll('2026-03 2027-04', '$2/${y}\\$ $10'), '03/2026$ 20260 04/2027$ 20270');
    for (const replacement of ['$3', '$', '${no}', 'a\\']) {
      assert.throws(() => date.replaceAll('', replacement), { code: 'MR_JAVA_REGEX_REPLACEMENT' }, replacement);
    }
    assert.equal(date.groupNamed('y'), 1);
  });
});
