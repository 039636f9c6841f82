import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { messageOf, type Problem } from '#errors';
import { childElements, firstChild, getAttribute, ownText, parseXml, type XmlElement } from '#xml';
import { readArchive, type ArchiveEntries } from './archive.ts';
import type { Application } from './car.ts';
import type { ArtifactFile } from './sources.ts';

/**
 * Reads the archive of a connector: operations that are templates, which do nothing until an import turns them on
 * (mediators 15). What is wrong with it is among its problems, with the path inside the archive.
 *
 * @param isImported true where no import is needed, as in an application
 */
export async function readConnector(
  file: string,
  content: Buffer = readFileSync(file),
  isImported = false,
): Promise<Application> {
  const problems: Problem[] = [];
  const refuse = (path: string, message: string): void => {
    const position = { file: path === '' ? file : `${file}!/${path}`, line: 1, column: 1 };
    problems.push({ code: 'MR_CONNECTOR_INVALID', severity: 'error', message, position });
  };
  const fingerprint = hash('sha256', content);
  let entries: ArchiveEntries = new Map();
  try {
    entries = await readArchive(file, content);
  } catch (error) {
    refuse('', messageOf(error));
  }
  const xml = (path: string): XmlElement | undefined => {
    const text = entries.get(path)?.toString('utf8');
    if (text === undefined) {
      refuse(path, 'the connector does not contain this file');
      return undefined;
    }
    try {
      return parseXml(text, { file: `${file}!/${path}` }).root;
    } catch (error) {
      refuse(path, messageOf(error));
      return undefined;
    }
  };

  const component = entries.size === 0 ? undefined : firstOf(xml('connector.xml'), 'component');
  const name = component ? (getAttribute(component, 'name') ?? '') : '';
  const group = component ? (getAttribute(component, 'package') ?? '') : '';
  if (component && (name === '' || group === '')) refuse('connector.xml', '<component> needs a name and a package');
  const files: ArtifactFile[] = [];
  for (const folder of component ? dependenciesOf(component) : []) {
    const root = xml(posix.join(folder, 'component.xml'));
    for (const { operation, path } of root ? operationsOf(root, folder) : []) {
      const text = entries.get(path)?.toString('utf8');
      if (text === undefined) {
        refuse(path, 'the connector does not contain this file');
        continue;
      }
      const template = `${group}.${name}.${operation}`;
      const connector = { name, id: `{${group}}${name}`, operation, template, isImported };
      files.push({ file: `${file}!/${path}`, text: renamed(text, template), application: file, connector });
    }
  }
  return {
    file,
    fingerprint,
    id: `{${group}}${name}`,
    dependsOn: undefined,
    isConnector: true,
    files,
    packed: [],
    definitions: new Map(),
    problems,
  };
}

/** Folders of the connector's components, as `<dependency component="…">` names them. */
function dependenciesOf(component: XmlElement): string[] {
  return childElements(component)
    .filter(({ local }) => local === 'dependency')
    .flatMap((dependency) => getAttribute(dependency, 'component') ?? []);
}

function operationsOf(root: XmlElement, folder: string): { operation: string; path: string }[] {
  const list = firstChild(root, 'subComponents');
  return (list ? childElements(list) : []).flatMap((component) => {
    const operation = getAttribute(component, 'name');
    const file = firstChild(component, 'file');
    return operation === undefined || !file ? [] : [{ operation, path: posix.join(folder, ownText(file).trim()) }];
  });
}

function firstOf(root: XmlElement | undefined, local: string): XmlElement | undefined {
  return root && firstChild(root, local);
}

/** The template under its qualified name; only the columns behind the name change. */
function renamed(text: string, qualified: string): string {
  return text.replace(/(<(?:\w+:)?template\b[^>]*?\sname\s*=\s*)(["']).*?\2/, `$1$2${qualified}$2`);
}
