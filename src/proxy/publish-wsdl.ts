import {
  deployNode,
  isDeployValue,
  readRemarks,
  resolveDeployValue,
  restoreRemarks,
  synapseElement,
  type CompileContext,
  type ParseContext,
  type Remarks,
} from '#mediation';
import { appendChild, cloneNode, type SourceNode, type XmlElement } from '#xml';

/** `<publishWSDL>`: where the WSDL of a proxy service comes from (mediators 13). */
export interface PublishWsdl {
  readonly key: string | undefined;
  readonly uri: string | undefined;
  /** The name of the endpoint whose own `?wsdl` is published. */
  readonly endpoint: string | undefined;
  readonly inline: XmlElement | undefined;
  /** False leaves policies of the WSDL out. */
  readonly preservePolicy: boolean;
  /** Registry keys of imported documents, by the location as the importing document writes it. */
  readonly resources: readonly { readonly location: string; readonly key: string }[];
  readonly remarks: Remarks | undefined;
  readonly node: SourceNode;
}

/** Local names of the root of a WSDL 1.1 and of a WSDL 2.0 document. */
const roots = ['definitions', 'description'];
const wsdlNamespaces = ['http://schemas.xmlsoap.org/wsdl/', 'http://www.w3.org/ns/wsdl'];

export function readPublishWsdl(node: SourceNode, context: ParseContext): PublishWsdl {
  node.knowOnly(['key', 'uri', 'endpoint', 'preservePolicy']);
  node.knowOnlyChildren([...roots, 'resource']);
  const key = node.attribute('key');
  const endpoint = node.attribute('endpoint');
  if (key !== undefined && !isDeployValue(key)) context.refer({ kind: 'resource', key, node, attribute: 'key' });
  if (endpoint !== undefined && !isDeployValue(endpoint))
    context.refer({ kind: 'endpoint', key: endpoint, node, attribute: 'endpoint' });
  const uri = node.attribute('uri');
  const inline = node
    .children()
    .find(({ local, element }) => roots.includes(local) && wsdlNamespaces.includes(element.uri))?.element;
  const sources = [key, uri, endpoint, inline].filter((source) => source !== undefined);
  if (sources.length !== 1) {
    node.error(
      `<publishWSDL> needs one of key, uri, endpoint or an inline WSDL; found ${sources.length === 0 ? 'none' : 'several'}`,
      { code: 'MR_PROXY_WSDL_SOURCE' },
    );
  }
  if (!isDeployValue(uri)) checkUri(uri, node);
  return {
    key,
    uri,
    endpoint,
    inline: inline && withScope(inline),
    preservePolicy: node.flag('preservePolicy', true),
    resources: node.childrenNamed('resource').map((child) => {
      child.knowOnly(['location', 'key']);
      const resource = { location: child.required('location'), key: child.required('key') };
      if (resource.key !== '') context.refer({ kind: 'resource', key: resource.key, node: child, attribute: 'key' });
      return resource;
    }),
    remarks: readRemarks(node),
    node,
  };
}

/** The source with the values that it has in this deployment. @throws ProblemsError for a `uri` that is none */
export function deployPublishWsdl(publish: PublishWsdl, library: CompileContext['library']): PublishWsdl {
  const deployed = (text: string | undefined): string | undefined => text && resolveDeployValue(text, library);
  const uri = deployed(publish.uri);
  checkUri(uri, deployNode(publish.node));
  return { ...publish, key: deployed(publish.key), uri, endpoint: deployed(publish.endpoint) };
}

function checkUri(uri: string | undefined, node: SourceNode): void {
  if (uri === undefined || /^(?:file|https?):/i.test(uri)) return;
  node.error(`"uri" must begin with file:, http: or https:; found "${uri}"`, { attribute: 'uri' });
}

export function serializePublishWsdl(publish: PublishWsdl): XmlElement {
  const { key, uri, endpoint, inline, preservePolicy, resources, remarks } = publish;
  const element = synapseElement('publishWSDL', {
    key,
    uri,
    endpoint,
    preservePolicy: preservePolicy ? undefined : false,
  });
  if (inline) appendChild(element, cloneNode(inline));
  for (const resource of resources) appendChild(element, synapseElement('resource', resource));
  return restoreRemarks(element, remarks);
}

/** A copy that stands alone: prefixes that were declared around it are declared on it. */
function withScope(element: XmlElement): XmlElement {
  const copy = cloneNode(element);
  for (let outer = element.parent; outer; outer = outer.parent) {
    for (const { prefix, uri } of outer.declarations) {
      const isTaken = prefix === '' || copy.declarations.some((declared) => declared.prefix === prefix);
      if (!isTaken) copy.declarations.push({ prefix, uri });
    }
  }
  return copy;
}
