import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { mediatorTypes } from '#mediation';
import { unsupportedMediators } from '../../src/mediation/mediators/unsupported.ts';
import { endpointTypes } from '../../src/mediation/endpoints/index.ts';
import { artifactKinds } from '../../src/server/artifact-kinds.ts';

const root = join(import.meta.dirname, '../..');

/** Names in the row of the guide's table of elements that begins with `title`. */
function guideRow(title: string): string[] {
  const guide = readFileSync(join(root, 'docs/guides/artifacts.md'), 'utf8');
  const row = guide.split('\n').find((line) => line.startsWith(`| ${title}`)) ?? '';
  return [...row.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
}

function names(types: readonly { readonly element: string }[]): string[] {
  return types.map(({ element }) => element).sort();
}

test('the guide to artifacts names every kind of artifact', () => {
  assert.deepEqual(guideRow('Artifacts').sort(), names(artifactKinds));
});

test('the guide to artifacts names every mediator', () => {
  assert.deepEqual(
    guideRow('Mediators').sort(),
    names(mediatorTypes.filter((type) => !unsupportedMediators.includes(type))),
  );
});

test('the guide to artifacts names every kind of endpoint', () => {
  const named = guideRow('Endpoints').filter((name) => name !== 'key');
  assert.deepEqual(named.sort(), names(endpointTypes));
});

test('links between pages lead to files', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'samples/*/*.md', 'test/*/*.md'], { cwd: root });
  const broken = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const targets = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? '');
    return targets
      .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(page), target)))
      .map((target) => `${page}: ${target}`);
  });
  assert.deepEqual(broken, []);
});
