import {
  injectionInto,
  provideLibrary,
  type Compiled,
  type CompiledEndpoint,
  type CompiledStore,
  type EndpointTemplate,
  type InjectableService,
  type Library,
  type Lifecycle,
  type PriorityExecutor,
  type SequenceTemplate,
  type Switches,
} from '#mediation';
import type { MessageEnvironment } from '#message';
import { parseXml, XmlElement } from '#xml';
import type { World } from './world.ts';

interface LibraryParts {
  readonly lifecycle: Lifecycle;
  readonly switches: Switches | undefined;
  readonly connectors: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** Makes what the compiled artifacts of a world, found by kind and name, and its messages see of it. */
export function createLibrary(
  ofKind: World['ofKind'],
  environment: MessageEnvironment,
  { lifecycle, connectors, switches }: LibraryParts,
): Library {
  const parsed = new Map<string, { readonly text: string; readonly root: XmlElement }>();
  return provideLibrary({
    sequence: (key) => ofKind('sequence').get(key) as Compiled | undefined,
    endpoint: (key) => ofKind('endpoint').get(key) as CompiledEndpoint | undefined,
    sequenceTemplate(name) {
      const template = ofKind('template').get(name) as SequenceTemplate | EndpointTemplate | undefined;
      return template && 'run' in template ? template : undefined;
    },
    endpointTemplate(name) {
      const template = ofKind('template').get(name) as SequenceTemplate | EndpointTemplate | undefined;
      return template && 'body' in template ? template : undefined;
    },
    connector: (name) => connectors.get(name),
    priorityExecutor: (name) => ofKind('priority-executor').get(name) as PriorityExecutor | undefined,
    messageStore: (name) => ofKind('messageStore').get(name) as CompiledStore | undefined,
    proxy: (name) => injectionInto(ofKind('proxy').get(name) as InjectableService | undefined),
    environment,
    external: (scope, name) => environment.external(scope, name),
    configuration: (name) => environment.configuration(name),
    secret: (alias) => environment.secret(alias),
    isSwitchedOn: (key) => switches?.state(key),
    resource: (key) => environment.resource(key),
    lifecycle,
    xmlResource(key) {
      const entry = environment.localEntry(key);
      if (entry instanceof XmlElement) return entry;
      const text = environment.resource(key);
      if (text === undefined) return undefined;
      const known = parsed.get(key);
      if (known?.text === text) return known.root;
      const { root } = parseXml(text, { file: key });
      parsed.set(key, { text, root });
      return root;
    },
  });
}
