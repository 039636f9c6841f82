import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requirements } from '../../../test/requirements/index.ts';
import { prepare } from '../test-browser.ts';
import { startTestIdentity } from '../test-identity.ts';

test('requirements of the standards', async (context) => {
  context.diagnostic(`${requirements.length} requirements`);
  for (const [name, show] of requirements) {
    await context.test(name, async () => {
      await using server = await startTestIdentity();
      await prepare(server);
      await show(server);
    });
  }
});

test('each requirement has a name of its own, which begins with the standard and the section', () => {
  const names = requirements.map(([name]) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of names)
    assert.match(name, /^(?:RFC \d{4}|OpenID Connect [A-Z][A-Za-z -]+|OAuth 2\.0 [A-Za-z ]+) [\d.]+(?:, [\d.]+)*: ./);
});
