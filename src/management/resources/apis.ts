import { childElements, getAttribute, type XmlElement } from '#xml';
import { addressesOf, textOf, type ArtifactFacts } from '../artifact-facts.ts';
import type { ArtifactResource } from '../artifact-resource.ts';
import type { ManagedRuntime } from '../runtime.ts';

/** `/apis` (management 1.6). */
export const apis: ArtifactResource = {
  path: '/apis',
  kind: 'api',
  title: 'API',
  parameter: 'apiName',
  missing: 'bare',
  observedAs: 'api',
  item: (facts, runtime) => ({ name: facts.name, ...urlsOf(facts, runtime), tracing: facts.tracing }),
  detail(facts, runtime) {
    const { xml } = facts;
    const version = textOf(xml, 'version');
    const port = getAttribute(xml, 'port');
    return {
      name: facts.name,
      ...urlsOf(facts, runtime),
      context: textOf(xml, 'context'),
      version: version === '' ? 'N/A' : version,
      host: textOf(xml, 'hostname'),
      port: port === undefined ? -1 : Number(port),
      stats: facts.stats,
      tracing: facts.tracing,
      resources: childElements(xml)
        .filter(({ local }) => local === 'resource')
        .map(resourceOf),
      configuration: facts.configuration,
    };
  },
};

function resourceOf(element: XmlElement): { methods: string[]; url: string } {
  const methods = textOf(element, 'methods')
    .split(/[\s,]+/)
    .filter((method) => method !== '');
  return {
    methods,
    url: getAttribute(element, 'uri-template') ?? getAttribute(element, 'url-mapping') ?? 'N/A',
  };
}

function urlsOf({ xml }: ArtifactFacts, runtime: ManagedRuntime): { url: string; urlList: string[] } {
  const version = textOf(xml, 'version');
  const context = textOf(xml, 'context').replace(/\/$/, '');
  const isInUrl = textOf(xml, 'version-type') === 'url';
  const path = isInUrl ? `${context}/${version}` : context.replace('{version}', version);
  const urlList = addressesOf(runtime, path);
  return { url: urlList[0] ?? '', urlList };
}
