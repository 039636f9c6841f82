import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { messageOf, type Problem } from '#errors';
import { childElements, firstChild, getAttribute, ownText, parseXml, type XmlElement } from '#xml';
import { readArchive, type ArchiveEntries } from './archive.ts';
import { readConnector } from './connectors.ts';
import type { PackedResource } from './registry.ts';
import type { ArtifactFile } from './sources.ts';

/** Server roles whose artifacts belong to this runtime (runtime-core 1.6). */
const ownRoles = new Set(['EnterpriseIntegrator', 'EnterpriseServiceBus', 'DataServicesServer']);

/** Artifact types that carry Java code and cannot run here. */
const javaTypes = new Set(['lib/synapse/mediator', 'lib/connector/dependency']);

/** Synapse types in their deployment order inside an application (runtime-core 1.7). */
const synapseTypes = [
  'synapse/local-entry',
  'synapse/endpoint',
  'synapse/sequence',
  'synapse/message-store',
  'synapse/template',
  'synapse/proxy-service',
  'synapse/task',
  'synapse/event-source',
  'synapse/message-processors',
  'synapse/api',
  'synapse/inbound-endpoint',
  'service/dataservice',
];

interface PackedArtifact {
  readonly name: string;
  readonly type: string;
  readonly folder: string;
  readonly file: string;
}

/** A Carbon application: its name and version, what it depends on, and what it brings. */
export interface Application {
  /** Path of the archive. */
  readonly file: string;
  /** Equal for equal archives. */
  readonly fingerprint: string;
  /** `name_version` of `artifacts.xml`. */
  readonly id: string;
  /** Ids of the applications that must come before it; undefined without a descriptor. */
  readonly dependsOn: readonly string[] | undefined;
  /** True for the library of a connector, which comes before every application. */
  readonly isConnector?: true;
  /** Artifact files in deployment order. */
  readonly files: readonly ArtifactFile[];
  readonly packed: readonly PackedResource[];
  /** OpenAPI documents by their artifact name, such as `Orders_swagger`. */
  readonly definitions: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

/**
 * Reads a `.car` file: descriptor, order, artifacts, registry resources and API definitions; applications that it
 * contains below `dependencies/` come before it. A part that is missing
 * or broken is a problem with the path inside the archive; the application is then not deployed.
 */
export async function readApplications(
  file: string,
  content: Buffer = readFileSync(file),
): Promise<readonly Application[]> {
  const problems: Problem[] = [];
  const fingerprint = hash('sha256', content);
  let entries: ArchiveEntries = new Map();
  try {
    entries = await readArchive(file, content);
  } catch (error) {
    const position = { file, line: 1, column: 1 };
    problems.push({ code: 'MR_ARCHIVE_INVALID', severity: 'error', message: messageOf(error), position });
    return [
      {
        file,
        fingerprint,
        id: file,
        dependsOn: undefined,
        files: [],
        packed: [],
        definitions: new Map(),
        problems,
      },
    ];
  }
  const contained: Application[] = [];
  for (const [name, bytes] of entries) {
    // Only one level deep: an archive cannot multiply itself.
    const isContained = !file.includes('!/') && /^dependencies\/[^/]+\.car$/.test(name);
    if (isContained) contained.push(...(await readApplications(`${file}!/${name}`, bytes)));
  }
  const reader = new ApplicationReader(file, entries, problems);
  const root = reader.xml('artifacts.xml');
  const app = root && childElements(root).find((element) => getAttribute(element, 'type') === 'carbon/application');
  if (root && !app) reader.problem('artifacts.xml', 'expected an artifact of type carbon/application');
  const artifacts = app ? reader.artifactsOf(app) : [];
  for (const { type, folder, file: name } of artifacts) {
    const path = posix.join(folder, name);
    const bytes = type === 'synapse/lib' ? entries.get(path) : undefined;
    if (bytes) contained.push(await readConnector(`${file}!/${path}`, bytes, true));
  }
  const application: Application = {
    file,
    fingerprint,
    id: app ? `${getAttribute(app, 'name') ?? ''}_${getAttribute(app, 'version') ?? ''}` : file,
    dependsOn: reader.dependencies(),
    files: reader.files(artifacts),
    packed: artifacts
      .filter(({ type }) => type === 'registry/resource')
      .flatMap((artifact) => reader.resources(artifact)),
    definitions: reader.definitions(artifacts),
    problems,
  };
  return [...contained, application];
}

class ApplicationReader {
  readonly #car: string;
  readonly #entries: ArchiveEntries;
  readonly #problems: Problem[];

  constructor(car: string, entries: ArchiveEntries, problems: Problem[]) {
    this.#car = car;
    this.#entries = entries;
    this.#problems = problems;
  }

  problem(path: string, message: string, severity: Problem['severity'] = 'error'): void {
    const position = { file: `${this.#car}!/${path}`, line: 1, column: 1 };
    this.#problems.push({ code: 'MR_APPLICATION_INVALID', severity, message, position });
  }

  text(path: string): string | undefined {
    return this.#entries.get(path)?.toString('utf8');
  }

  xml(path: string): XmlElement | undefined {
    const text = this.text(path);
    if (text === undefined) {
      this.problem(path, 'the application does not contain this file');
      return undefined;
    }
    try {
      return parseXml(text, { file: `${this.#car}!/${path}` }).root;
    } catch (error) {
      this.problem(path, messageOf(error));
      return undefined;
    }
  }

  artifactsOf(application: XmlElement): PackedArtifact[] {
    return childElements(application)
      .filter((element) => element.local === 'dependency')
      .filter((element) => ownRoles.has(getAttribute(element, 'serverRole') ?? 'EnterpriseServiceBus'))
      .flatMap((dependency) => this.#artifact(dependency));
  }

  #artifact(dependency: XmlElement): PackedArtifact[] {
    const name = getAttribute(dependency, 'artifact') ?? '';
    const folder = `${name}_${getAttribute(dependency, 'version') ?? ''}`;
    const candidates = [folder, `metadata/${folder}`];
    const found = candidates.find((candidate) => this.#entries.has(`${candidate}/artifact.xml`)) ?? folder;
    const descriptor = this.xml(`${found}/artifact.xml`);
    if (!descriptor) return [];
    const type = getAttribute(descriptor, 'type') ?? '';
    const fileElement = firstChild(descriptor, 'file');
    return [{ name, type, folder: found, file: fileElement ? ownText(fileElement).trim() : '' }];
  }

  /** The artifact files in deployment order; Java libraries are reported, never ignored silently. */
  files(artifacts: readonly PackedArtifact[]): ArtifactFile[] {
    for (const { name, type, folder } of artifacts) {
      if (javaTypes.has(type)) {
        this.problem(folder, `${name} (${type}) is a Java library and is left out`, 'warning');
      }
    }
    return synapseTypes.flatMap((type) =>
      artifacts
        .filter((artifact) => artifact.type === type)
        .flatMap(({ folder, file }) => {
          const path = posix.join(folder, file);
          const text = this.text(path);
          if (text === undefined) this.problem(path, 'the application does not contain this file');
          return text === undefined ? [] : [{ file: `${this.#car}!/${path}`, text, application: this.#car }];
        }),
    );
  }

  resources({ folder, file }: PackedArtifact): PackedResource[] {
    const info = this.xml(posix.join(folder, file));
    const items = info ? childElements(info).filter((element) => element.local === 'item') : [];
    return items.flatMap((item) => {
      const child = (local: string): string => ownText(firstChild(item, local) ?? item).trim();
      const name = child('file');
      const content =
        this.#entries.get(posix.join(folder, 'resources', name)) ?? this.#entries.get(posix.join(folder, name));
      if (!content) {
        this.problem(posix.join(folder, 'resources', name), 'the application does not contain this file');
        return [];
      }
      const properties = firstChild(item, 'properties');
      return [{ path: posix.join(child('path'), name), content, properties: propertiesOf(properties) }];
    });
  }

  /** OpenAPI definitions shipped as metadata, by the artifact's name (`<API>_swagger`). */
  definitions(artifacts: readonly PackedArtifact[]): Map<string, string> {
    const found = new Map<string, string>();
    for (const { name, type, folder, file } of artifacts) {
      const text = type === 'synapse/metadata' ? this.text(posix.join(folder, file)) : undefined;
      if (text !== undefined) found.set(name, text);
    }
    return found;
  }

  /** Ids of required applications; undefined when there is no descriptor. */
  dependencies(): string[] | undefined {
    if (!this.#entries.has('descriptor.xml')) return undefined;
    const root = this.xml('descriptor.xml');
    const list = root && firstChild(root, 'dependencies');
    return list
      ? childElements(list).map(
          (each) => `${getAttribute(each, 'artifactId') ?? ''}_${getAttribute(each, 'version') ?? ''}`,
        )
      : [];
  }
}

function propertiesOf(element: XmlElement | undefined): Map<string, string> {
  const pairs = element
    ? childElements(element).map(
        (each) => [getAttribute(each, 'key') ?? '', getAttribute(each, 'value') ?? ''] as const,
      )
    : [];
  return new Map(pairs);
}
