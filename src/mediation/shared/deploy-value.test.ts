import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CompileLibrary } from '../context.ts';
import { resolveDeployValue } from './deploy-value.ts';

const library = {
  external: (scope: string, name: string) => (name === 'known' ? `${scope} value` : undefined),
  configuration: (name: string) => (name === 'known' ? 'configured' : undefined),
  secret: (alias: string) => (alias === 'known' ? 'pass word' : undefined),
} as unknown as CompileLibrary;

test('what stands for a value is resolved, other text stays', () => {
  assert.equal(resolveDeployValue('$SYSTEM:known', library), 'env value');
  assert.equal(resolveDeployValue('$FILE:known', library), 'file value');
  assert.equal(resolveDeployValue('${configs.known}', library), 'configured');
  assert.equal(resolveDeployValue("{wso2:vault-lookup('known')}", library), 'pass word');
  assert.equal(resolveDeployValue('a $SYSTEM:known', library), 'a $SYSTEM:known');
});

test('what has no value is named', () => {
  assert.throws(() => resolveDeployValue('$SYSTEM:other', library), /There is no value for \$SYSTEM:other/);
  assert.throws(() => resolveDeployValue("{wso2:vault-lookup('other')}", library), /There is no secret "other"/);
});
