import type { CompiledEndpoint } from '#mediation';
import { childElements, getAttribute, ownText, type XmlElement } from '#xml';
import { childOf, namedValues, textOf, type ArtifactFacts } from '../artifact-facts.ts';
import type { ArtifactResource } from '../artifact-resource.ts';
import type { ManagedRuntime } from '../runtime.ts';

/** The kinds of endpoint by their element: the type that details show, and what they show besides. */
const kinds: Readonly<
  Record<string, { title: string; fields: (kind: XmlElement, endpoint: XmlElement) => Record<string, unknown> }>
> = {
  http: {
    title: 'HTTP Endpoint',
    fields: (kind, endpoint) => ({
      method: textOf(kind, 'method').toUpperCase(),
      uriTemplate: textOf(kind, 'uri-template'),
      errorHandler: textOf(endpoint, 'onError'),
      advanced: advancedOf(kind),
    }),
  },
  address: {
    title: 'Address Endpoint',
    fields: (kind) => ({ address: textOf(kind, 'uri'), advanced: advancedOf(kind) }),
  },
  wsdl: {
    title: 'WSDL Endpoint',
    fields: (kind) => ({
      wsdlUri: textOf(kind, 'uri'),
      serviceName: textOf(kind, 'service'),
      portName: textOf(kind, 'port'),
      advanced: advancedOf(kind),
    }),
  },
  default: { title: 'Default Endpoint', fields: (kind) => ({ advanced: advancedOf(kind), children: [] }) },
  failover: { title: 'Failover Endpoint', fields: (kind) => ({ children: childrenOf(kind) }) },
  loadbalance: {
    title: 'Load Balance Endpoint',
    fields: (kind) => ({
      algorithm: textOf(kind, 'algorithm'),
      buildMessage: textOf(kind, 'buildMessage') === 'true',
      isFailover: textOf(kind, 'failover') !== 'false',
      children: childrenOf(kind),
    }),
  },
  recipientlist: {
    title: 'Recipient List Endpoint',
    fields: (kind) => ({ poolSize: poolSizeOf(kind), children: childrenOf(kind) }),
  },
};

/** Endpoints of a list of addresses that the original keeps. */
const defaultPool = 20;

function poolSizeOf(kind: XmlElement): number {
  const size = Number(textOf(childOf(kind, 'endpoints'), 'max-cache') || defaultPool);
  return Number.isSafeInteger(size) && size >= 0 ? size : defaultPool;
}

const kindNames = Object.keys(kinds);

/** `/endpoints` (management 1.6). */
export const endpoints: ArtifactResource = {
  path: '/endpoints',
  kind: 'endpoint',
  title: 'endpoint',
  parameter: 'endpointName',
  missing: 'bare',
  observedAs: 'endpoint',
  item: (facts, runtime) => ({ name: facts.name, type: typeOf(facts.xml), isActive: isActive(facts, runtime) }),
  detail: (facts, runtime) => ({
    ...describe(facts.name, facts.xml),
    isActive: isActive(facts, runtime),
    tracing: facts.tracing,
    configuration: facts.configuration,
  }),
  status: {
    audit: 'endpoint',
    unknown: 404,
    set({ deployed }, isOn, { deployer }) {
      const endpoint = deployed.compiled as CompiledEndpoint;
      const { library } = deployer.current;
      if (isOn) endpoint.switchOn(library);
      else endpoint.switchOff(library);
    },
  },
};

function isActive({ deployed }: ArtifactFacts, { deployer }: ManagedRuntime): boolean {
  const endpoint = deployed.compiled as CompiledEndpoint | undefined;
  return endpoint?.status(deployer.current.library).state === 'active';
}

function typeOf(xml: XmlElement): string {
  if (getAttribute(xml, 'template') !== undefined) return 'template';
  return childOf(xml, ...kindNames)?.local ?? 'indirect';
}

function describe(name: string, xml: XmlElement): Record<string, unknown> {
  const template = getAttribute(xml, 'template');
  if (template !== undefined) {
    return { name, type: 'Template Endpoint', parameters: namedValues(xml, 'parameter'), template };
  }
  const kind = childOf(xml, ...kindNames);
  const known = kind && kinds[kind.local];
  if (!known) return { name, type: 'Indirect Endpoint', key: textOf(xml, 'key') };
  return { name, type: known.title, ...known.fields(kind, xml) };
}

function childrenOf(kind: XmlElement): Record<string, unknown>[] {
  return childElements(kind)
    .filter(({ local }) => local === 'endpoint')
    .map((child) => describe(getAttribute(child, 'name') ?? getAttribute(child, 'key') ?? '', child));
}

/** Settings of time-outs and suspension, as they are written. */
function advancedOf(kind: XmlElement): Record<string, unknown> {
  const groups = { timeout: 'timeoutState', suspendOnFailure: 'suspendState', markForSuspension: 'markState' };
  return Object.fromEntries(
    Object.entries(groups).flatMap(([element, name]) => {
      const group = childOf(kind, element);
      if (!group) return [];
      return [[name, Object.fromEntries(childElements(group).map((each) => [each.local, ownText(each).trim()]))]];
    }),
  );
}
