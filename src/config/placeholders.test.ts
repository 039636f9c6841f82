import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from './load.ts';

/** The text that placeholders make of the keys below `[synapse_properties]`. */
function resolve(
  lines: string,
  options: { env?: Record<string, string>; systemProperties?: Record<string, string> } = {},
) {
  const text = `[synapse_properties]\n${lines}`.replaceAll('$ref{', '$ref{synapse_properties.');
  const { config, problems } = loadConfig({ text, file: 'f.toml', ...options });
  const values = Object.fromEntries(
    config.written().map(({ path, value }) => [path.replace('synapse_properties.', ''), value]),
  );
  return { values, problems: problems.map(({ code, position }) => `${code} ${position?.line}:${position?.column}`) };
}

test('references are followed through other references and inside texts', () => {
  const { values } = resolve('a = "AAA"\nb = "$ref{a}"\nc = "$ref{b}-$ref{a}"');
  assert.deepEqual(values, { a: 'AAA', b: 'AAA', c: 'AAA-AAA' });
});

test('references are followed in lists, and a list or boolean replaces the whole text', () => {
  const { values } = resolve('a = "AAA"\nl = ["$ref{a}:x", "y"]\nd = true\ne = "$ref{d}"\nm = "all: $ref{l}"');
  assert.deepEqual(values['l'], ['AAA:x', 'y']);
  assert.equal(values['e'], true);
  assert.deepEqual(values['m'], ['AAA:x', 'y']);
});

test('a cycle and a missing key are errors at the placeholder', () => {
  assert.deepEqual(resolve('f = "$ref{g}"\ng = "$ref{f}"').problems, ['MR_CONFIG_REFERENCE_CYCLE 3:6']);
  assert.deepEqual(resolve('h = "x $ref{none}"').problems, ['MR_CONFIG_REFERENCE 2:8']);
});

test('environment variables may be empty, system properties may not', () => {
  assert.deepEqual(resolve('a = "<$env{E}>"', { env: { E: '' } }).values, { a: '<>' });
  assert.deepEqual(resolve('a = "$env{E}"').problems, ['MR_CONFIG_ENVIRONMENT 2:6']);
  assert.deepEqual(resolve('a = "$sys{p}"', { systemProperties: { p: '' } }).problems, [
    'MR_CONFIG_SYSTEM_PROPERTY 2:6',
  ]);
  assert.deepEqual(resolve('a = "$sys{p}/x"', { systemProperties: { p: String.raw`$1\b` } }).values, {
    a: String.raw`$1\b/x`,
  });
});

test('environment and system properties can be left alone', () => {
  const { values } = resolve('a = "$env{E}"', { systemProperties: { avoidResolvingEnvAndSysVariables: 'true' } });
  assert.deepEqual(values, { a: '$env{E}' });
});

test('a reference to a spelling that was mapped away still finds the key', () => {
  const text = '[user_store]\nconnection_url = "ldap://h"\n[super_admin]\nusername = "$ref{user_store.connection_url}"';
  const { config, problems } = loadConfig({ text });
  assert.deepEqual(problems, []);
  assert.equal(config.explain('super_admin.username')?.values[0]?.value, 'ldap://h');
});

test('a reference inside an array of tables is followed', () => {
  const text = '[super_admin]\nusername = "root"\n[[apim.gateway.environment]]\nname = "$ref{super_admin.username}"';
  assert.equal(loadConfig({ text }).config.explain('apim.gateway.environment.name')?.values[0]?.value, 'root');
});
