import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { factsOf, textOf, type ArtifactFacts } from '../artifact-facts.ts';
import type { ArtifactResource } from '../artifact-resource.ts';
import { itemOf, problemsOf } from '../resources/applications.ts';
import { apis } from '../resources/apis.ts';
import { dataServices } from '../resources/data-services.ts';
import { endpoints } from '../resources/endpoints.ts';
import { inboundEndpoints } from '../resources/inbound-endpoints.ts';
import { localEntries } from '../resources/local-entries.ts';
import { messageProcessors } from '../resources/message-processors.ts';
import { messageStores } from '../resources/message-stores.ts';
import { proxyServices } from '../resources/proxy-services.ts';
import { tasks } from '../resources/tasks.ts';
import { openRegistryFiles, type RegistryNode } from '../registry-files.ts';
import { artifactsOf, type ManagedRuntime } from '../runtime.ts';

type Fields = Readonly<Record<string, unknown>>;

/** How the artifacts of one kind are announced to a control plane (management 2.3). */
interface AnnouncedKind {
  /** Its list in the heartbeat. */
  readonly list: string;
  readonly kind: string;
  /** Makes the details that `fields` chooses from. */
  readonly resource?: ArtifactResource;
  fields(facts: ArtifactFacts, detail: Fields, runtime: ManagedRuntime): Fields;
}

const observed = ({ tracing, stats }: ArtifactFacts): Fields => ({ tracing, statistics: stats });
const enabled = (isOn: boolean): string => (isOn ? 'enabled' : 'disabled');
const isActive = (status: unknown): string => enabled(String(status).toLowerCase() === 'active');
const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

const kinds: readonly AnnouncedKind[] = [
  {
    list: 'apis',
    kind: 'api',
    resource: apis,
    fields: (facts, { context, version, url, urlList, resources }) => ({
      context,
      version,
      url,
      urls: urlList,
      type: 'API',
      ...observed(facts),
      resources: (resources as readonly { methods: readonly string[]; url: string }[]).map((each) => ({
        path: each.url,
        methods: each.methods.join(','),
      })),
    }),
  },
  {
    list: 'proxyServices',
    kind: 'proxy',
    resource: proxyServices,
    fields: (facts, { isRunning, eprs }) => ({
      type: 'ProxyService',
      state: enabled(isRunning === true),
      ...observed(facts),
      endpoints: eprs,
    }),
  },
  {
    list: 'endpoints',
    kind: 'endpoint',
    resource: endpoints,
    fields: (facts, { type, isActive: isOn }) => ({
      type,
      state: enabled(isOn === true),
      ...observed(facts),
      attributes: [],
    }),
  },
  {
    list: 'inboundEndpoints',
    kind: 'inboundEndpoint',
    resource: inboundEndpoints,
    fields: (facts, { protocol, status, sequence, error }) => ({
      protocol,
      state: isActive(status),
      ...observed(facts),
      sequence,
      onError: error,
    }),
  },
  { list: 'sequences', kind: 'sequence', fields: (facts) => ({ type: 'Sequence', ...observed(facts) }) },
  {
    list: 'tasks',
    kind: 'task',
    resource: tasks,
    fields: ({ key }, { taskGroup, implementation }, { deployer }) => ({
      state: enabled(!deployer.isHeld(key)),
      group: taskGroup,
      class: implementation,
    }),
  },
  {
    list: 'templates',
    kind: 'template',
    fields: ({ xml, stats }) => ({
      type: xml.children.some((child) => 'local' in child && child.local === 'endpoint') ? 'endpoint' : 'sequence',
      statistics: stats,
    }),
  },
  {
    list: 'messageStores',
    kind: 'messageStore',
    resource: messageStores,
    fields: (_, { type, size }) => ({ type, size }),
  },
  {
    list: 'messageProcessors',
    kind: 'messageProcessor',
    resource: messageProcessors,
    fields: (_, { type, status, messageStore }) => ({ type, state: isActive(status), messageStore }),
  },
  { list: 'localEntries', kind: 'localEntry', resource: localEntries, fields: (_, { type }) => ({ type }) },
  {
    list: 'dataServices',
    kind: 'data',
    resource: dataServices,
    fields: (_, { serviceDescription, dataSources, operations, queries }) => ({
      type: 'DataService',
      description: serviceDescription,
      configs: dataSources,
      operationCount: lengthOf(operations),
      queryCount: lengthOf(queries),
    }),
  },
  {
    list: 'connectors',
    kind: 'import',
    fields: ({ xml }) => ({
      name: textOf(xml, 'name'),
      package: textOf(xml, 'package'),
      description: textOf(xml, 'description'),
      status: textOf(xml, 'status') === 'enabled' ? 'enabled' : 'disabled',
    }),
  },
];

/** Everything that is deployed, in the lists of a full heartbeat. */
export async function announcedArtifacts(runtime: ManagedRuntime, runtimeId: string): Promise<Fields> {
  const lists: Record<string, readonly Fields[]> = {};
  for (const announced of kinds) lists[announced.list] = await listOf(announced, runtime);
  return {
    ...lists,
    carbonApps: applicationsOf(runtime, runtimeId),
    dataSources: sourcesOf(runtime),
    registryResources: registryResourcesOf(runtime),
  };
}

function listOf(announced: AnnouncedKind, runtime: ManagedRuntime): Promise<readonly Fields[]> {
  const { kind, resource } = announced;
  return Promise.all(
    artifactsOf(runtime, kind).map(async (deployed) => {
      const facts = factsOf(runtime, deployed);
      // Sizes and the like are in the items of lists, the rest is in the details.
      const detail = resource
        ? {
            ...((await resource.item(facts, runtime)) as Fields),
            ...((await resource.detail(facts, runtime)) as Fields),
          }
        : {};
      const { application } = facts;
      const carbonApp = application === undefined ? {} : { carbonApp: basename(application, '.car') };
      return { name: facts.name, ...announced.fields(facts, detail, runtime), ...carbonApp };
    }),
  );
}

function applicationsOf(runtime: ManagedRuntime, runtimeId: string): readonly Fields[] {
  return runtime.deployer.applications.map((application) => ({
    ...itemOf(runtime, application),
    runtimeId,
    status: problemsOf(runtime, application).length > 0 ? 'Faulty' : 'Active',
  }));
}

/** The files of the registry by their paths, with their media types. */
function registryResourcesOf({ home, registryHandlers }: ManagedRuntime): readonly Fields[] {
  if (!existsSync(home.registry)) return [];
  const files = openRegistryFiles(home, registryHandlers);
  const below = (node: RegistryNode, path: string): readonly Fields[] =>
    node.type === 'file'
      ? [{ name: path, type: files.mediaType(path) }]
      : node.files.flatMap((each) => below(each, `${path}/${each.name}`));
  return below(files.tree('registry', undefined), 'registry');
}

function sourcesOf({ dataSources }: ManagedRuntime): readonly Fields[] {
  return dataSources.map(({ name, driverClass, url, userName }) => ({
    name,
    type: 'RDBMS',
    driver: driverClass,
    url,
    hasUsername: userName !== '',
  }));
}
