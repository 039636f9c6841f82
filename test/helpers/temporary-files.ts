import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { ZipFile } from 'yazl';

/** Files of a project by their paths; archives as bytes. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Removes a folder, in which a program that is ending may still write for a moment. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/** Writes files below a new temporary folder, which goes away after the test, and gives its path. */
export function temporaryFolder(t: TestContext, files: Files): string {
  const root = mkdtempSync(join(tmpdir(), 'millrace-files-'));
  t.after(() => removeFolder(root));
  writeFiles(root, files);
  return root;
}

/** Writes files below a folder. */
export function writeFiles(root: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
}

/** A zip archive of these entries. */
export async function zip(entries: Files): Promise<Uint8Array> {
  const file = new ZipFile();
  for (const [name, content] of Object.entries(entries)) file.addBuffer(Buffer.from(content), name);
  file.end();
  return buffer(file.outputStream);
}

/** One artifact of an application: its type, and the files in its folder; the first one is the artifact. */
export interface CarPart {
  readonly name: string;
  readonly type: string;
  readonly files: Files;
  readonly serverRole?: string;
  /** Folder in front of the artifact's own, such as `metadata/`. */
  readonly below?: string;
}

/** A Carbon application; with `dependsOn` it has a descriptor that names the applications it needs. */
export function car(application: { name: string; parts: readonly CarPart[]; dependsOn?: readonly string[] }): Files {
  const { name, parts, dependsOn } = application;
  const version = '1.0.0';
  const entries: Record<string, string | Uint8Array> = {
    'artifacts.xml': `<artifacts><artifact name="${name}" version="${version}" type="carbon/application">${parts
      .map(
        (part) =>
          `<dependency artifact="${part.name}" version="${version}" include="true" serverRole="${part.serverRole ?? 'EnterpriseServiceBus'}"/>`,
      )
      .join('')}</artifact></artifacts>`,
  };
  for (const part of parts) {
    const folder = `${part.below ?? ''}${part.name}_${version}`;
    const [main] = Object.keys(part.files);
    entries[`${folder}/artifact.xml`] =
      `<artifact name="${part.name}" version="${version}" type="${part.type}"><file>${main ?? ''}</file></artifact>`;
    for (const [file, content] of Object.entries(part.files)) entries[`${folder}/${file}`] = content;
  }
  if (dependsOn) {
    entries['descriptor.xml'] = `<project><id>com.example__${name}__${version}</id><dependencies>${dependsOn
      .map((id) => `<dependency groupId="com.example" artifactId="${id}" version="${version}" type="car"/>`)
      .join('')}</dependencies></project>`;
  }
  return entries;
}
