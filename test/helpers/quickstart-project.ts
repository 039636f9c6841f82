import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const sample = join(import.meta.dirname, '../../samples/quickstart');

/** Copies the quickstart's project into `folder` with endpoints that name `backendPort`; gives back its path. */
export function copyQuickstart(folder: string, backendPort: number): string {
  const project = join(folder, 'quickstart');
  cpSync(join(sample, 'src'), join(project, 'src'), { recursive: true });
  for (const name of globSync('src/**/endpoints/*.xml', { cwd: project })) {
    const file = join(project, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('127.0.0.1:9700', `127.0.0.1:${backendPort}`));
  }
  return project;
}
