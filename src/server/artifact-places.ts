import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SourcePlaces } from '#artifacts';
import type { Home } from '#core';

/** Where the artifacts of a home are; folders that are missing are made. */
export function placesOf(home: Home): SourcePlaces {
  for (const folder of [home.artifacts, home.carbonapps]) mkdirSync(folder, { recursive: true });
  const root = (name: string, mount: string): { mount: string; directory: string } => ({
    mount,
    directory: join(home.registry, name),
  });
  return {
    directories: [home.artifacts],
    files: [],
    applications: [home.carbonapps],
    roots: [
      root('governance', '/_system/governance'),
      root('config', '/_system/config'),
      root('local', '/_system/local'),
    ],
  };
}
