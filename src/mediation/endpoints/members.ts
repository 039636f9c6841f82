import { synapseCodes } from '#errors';
import type { Message } from '#message';
import { appendChild, type SourceNode, type XmlElement } from '#xml';
import type { CompileContext } from '../context.ts';
import type { CompiledEndpoint, EndpointDefinition, EndpointParseContext } from '../endpoint.ts';
import { synapseElement } from '../reading.ts';
import { resolveDeployValue } from '../shared/deploy-value.ts';
import { textOfValue } from '../shared/typed-value.ts';
import type { DeliveryPolicy } from './delivery-policy.ts';
import { EndpointFault } from './endpoint-fault.ts';
import { noFormat } from './format.ts';
import { createLeafEndpoint } from './leaf.ts';

/** A host that answers in the name of the address in `To` (runtime-core 5.6). */
export interface HostMember {
  readonly hostName: string;
  readonly httpPort: string | undefined;
  readonly httpsPort: string | undefined;
}

/** What a group consists of: endpoints or hosts. */
export interface Members {
  readonly endpoints: readonly EndpointDefinition[];
  readonly hosts: readonly HostMember[];
}

/** Reads the `<endpoint>` or `<member>` children of a group; it has one sort of them. */
export function readMembers(node: SourceNode, context: EndpointParseContext, isFilledLater = false): Members {
  const endpointNodes = node.childrenNamed('endpoint');
  const hostNodes = node.childrenNamed('member');
  const [host] = hostNodes;
  if (endpointNodes.length > 0 && host) host.error(`<${node.local}> has either endpoints or members, found both`);
  if (endpointNodes.length === 0 && !host && !isFilledLater) {
    node.error(`<${node.local}> needs at least one <endpoint> or <member>`, { code: 'MR_ENDPOINT_EMPTY_GROUP' });
  }
  const endpoints = endpointNodes.flatMap((child) => context.parseEndpoint(child, context) ?? []);
  return { endpoints, hosts: hostNodes.map(readHost) };
}

function readHost(node: SourceNode): HostMember {
  node.knowOnly(['hostName', 'httpPort', 'httpsPort']);
  const port = (name: string): string | undefined => {
    const text = node.attribute(name);
    if (text !== undefined && !/^(\d+|\$.+)$/.test(text)) {
      node.error(`"${name}" must be a port, found "${text}"`, { attribute: name });
    }
    return text;
  };
  const member = { hostName: node.required('hostName'), httpPort: port('httpPort'), httpsPort: port('httpsPort') };
  if (member.httpPort === undefined && member.httpsPort === undefined) {
    node.error('<member> needs "httpPort" or "httpsPort"', { code: 'MR_ARTIFACT_ATTRIBUTE' });
  }
  return member;
}

/** Writes the members back into the kind's element. */
export function serializeMembers(element: XmlElement, { endpoints, hosts }: Members): XmlElement {
  for (const endpoint of endpoints) appendChild(element, endpoint.serialize());
  for (const host of hosts) appendChild(element, synapseElement('member', { ...host }));
  return element;
}

/** Compiles the members in their order. */
export function compileMembers({ endpoints, hosts }: Members, context: CompileContext): readonly CompiledEndpoint[] {
  return [
    ...endpoints.map((endpoint, index) => endpoint.compile(context.at(index))),
    ...hosts.map((host, index) => compileHost(host, context.at(`member:${index}`))),
  ];
}

/** A host that failed is left alone for half a second, then the next message may try it again. */
const hostPolicy: DeliveryPolicy = {
  timeout: undefined,
  timeoutAction: undefined,
  mark: { errorCodes: [], retriesBeforeSuspension: 0, retryDelay: 0 },
  suspend: { errorCodes: [], initialDuration: 500, progressionFactor: 1, maximumDuration: 500, seconds: undefined },
  retry: { enabled: [], disabled: [] },
};

function compileHost({ hostName, httpPort, httpsPort }: HostMember, context: CompileContext): CompiledEndpoint {
  const resolve = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : resolveDeployValue(text, context.library);
  const host = resolve(hostName) ?? '';
  const ports = { http: resolve(httpPort), https: resolve(httpsPort) };
  return createLeafEndpoint(
    {
      name: `${host}:${ports.http ?? ports.https ?? ''}`,
      settings: { policy: hostPolicy, addressing: undefined, kept: [] },
      format: noFormat,
      target(message) {
        const { scheme, path } = placeOf(message);
        const port = ports[scheme];
        if (port === undefined) {
          throw new EndpointFault({
            code: synapseCodes.endpointNotReady,
            message: `The member ${host} has no port for ${scheme}`,
          });
        }
        return { url: `${scheme}://${host}:${port}${path}`, method: undefined };
      },
    },
    context,
  );
}

/** Scheme and path of `To`, of which a member replaces host and port. */
function placeOf({ addressing, properties }: Message): { scheme: 'http' | 'https'; path: string } {
  const to = addressing.to ?? '/';
  const absolute = /^(https?):\/\/[^/?#]*(.*)$/i.exec(to);
  const used = absolute?.[1] ?? textOfValue(properties.get('TRANSPORT_IN_NAME'));
  const rest = absolute ? (absolute[2] ?? '') : to;
  return { scheme: used.toLowerCase() === 'https' ? 'https' : 'http', path: rest.startsWith('/') ? rest : `/${rest}` };
}
