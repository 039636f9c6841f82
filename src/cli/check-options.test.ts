import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineCommand } from 'citty';
import { checkOptions } from './check-options.ts';

const inner = defineCommand({
  meta: { name: 'inner' },
  args: {
    what: { type: 'positional', required: true },
    home: { type: 'string' },
    server: { type: 'string', alias: 's' },
    define: { type: 'string', alias: 'D' },
    loud: { type: 'boolean' },
  },
});
const main = defineCommand({ meta: { name: 'p' }, subCommands: { outer: defineCommand({ subCommands: { inner } }) } });

const fine: readonly (readonly string[])[] = [
  ['outer', 'inner', 'a'],
  ['outer', 'inner', '--home', '-x', 'a'],
  ['outer', 'inner', '--home=-x', 'a', '--loud'],
  ['outer', 'inner', '--no-loud', '-s', 'name', 'a'],
  ['outer', 'inner', '-Dname=value', 'a'],
  ['outer', 'inner', 'a', '--', '--anything'],
  ['outer', 'inner', '-1'],
];

for (const words of fine) {
  test(`${words.join(' ')} is understood`, () => checkOptions(main, words));
}

const wrong: readonly (readonly [words: readonly string[], message: string])[] = [
  [['outer', 'inner', 'a', '--hom', 'x'], '--hom is no option of inner; did you mean --home?'],
  [
    ['outer', 'inner', 'a', '--colour'],
    '--colour is no option of inner; it has --home, --server, -s, --define, -D, --loud, --no-loud',
  ],
  [['outer', '--loud'], '--loud is no option; it has none'],
];

for (const [words, message] of wrong) {
  test(`${words.join(' ')} is refused`, () =>
    assert.rejects(checkOptions(main, words), { code: 'MR_CLI_OPTION', message }));
}
