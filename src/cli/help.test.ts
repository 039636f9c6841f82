import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { defineCommand, renderUsage } from 'citty';
import { commandNamed, commandToShow } from './help.ts';

const inner = defineCommand({
  meta: {
    name: 'inner',
    description: 'Does one thing, to conf/x.toml. And more: much more.\n\nExample: p outer inner\n',
  },
  args: { loud: { type: 'boolean', description: 'Say it' } },
});
const main = defineCommand({
  meta: { name: 'p', description: 'A program' },
  subCommands: {
    outer: async () => defineCommand({ meta: { name: 'outer', description: 'Holds others' }, subCommands: { inner } }),
  },
});
const usage = async (...args: string[]) =>
  stripVTControlCharacters(await renderUsage(...(await commandToShow(main, args))));

test('a list of commands shows the first sentence of each', async () => {
  const text = await usage('outer', '--help');
  assert.match(text, /inner\s+Does one thing, to conf\/x\.toml\s*$/m);
  assert.doesNotMatch(text, /Example: p outer inner/);
});

test('a nested command that is given as it is shows all of its description and its options', async () => {
  const text = await usage('outer', 'inner', '--help');
  assert.match(text, /Example: p outer inner/);
  assert.match(text, /--loud\s+Say it/);
});

test('a word that names no command leaves the command before it', async () => {
  assert.match(await usage('outer', 'absent'), /Holds others/);
});

test('of the commands only the named one is loaded', async () => {
  const add = defineCommand({ meta: { name: 'add' } });
  const program = defineCommand({
    subCommands: {
      user: async () => defineCommand({ meta: { name: 'user' }, subCommands: { add, list: () => assert.fail() } }),
      other: () => assert.fail('another command was loaded'),
    },
  });
  const { command, parent, rest } = await commandNamed(program, ['user', 'add', '--name', 'jo']);
  assert.equal(command, add);
  assert.deepEqual(parent?.meta, { name: 'user' });
  assert.deepEqual(rest, ['--name', 'jo']);
});

test('a word that names no command ends the search, whatever objects inherit', async () => {
  const program = defineCommand({ subCommands: { user: defineCommand({}) } });
  assert.equal((await commandNamed(program, ['toString'])).command, program);
});
