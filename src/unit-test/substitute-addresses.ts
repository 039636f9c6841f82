import { registryPathOf, type ArtifactFile, type PackedResource } from '#artifacts';
import { parseXml, XmlError, type XmlDocument, type XmlElement } from '#xml';

/** Where endpoints lead instead, by the name of the endpoint or the registry key of its document. */
export type Substitutes = ReadonlyMap<string, { readonly address: string; readonly context: string }>;

/** An address attribute in the source of an artifact. */
interface Change {
  readonly from: number;
  readonly to: number;
  readonly value: string;
}

/** Attributes that hold the address of an endpoint. */
const addressAttributes = ['uri', 'uri-template'];

/** Points the endpoints of an artifact that have one of the names at their substitutes; everything else keeps its place. */
export function substituteIn(file: ArtifactFile, substitutes: Substitutes, used: Set<string>): ArtifactFile {
  return { ...file, text: substitute(file.text, (element) => nameOf(element, substitutes, used)) };
}

/** The same for an endpoint that is a registry resource; it may go by its key. */
export function substituteInResource(
  resource: PackedResource,
  substitutes: Substitutes,
  used: Set<string>,
): PackedResource {
  const text = Buffer.from(resource.content).toString('utf8');
  if (!/<([\w.-]+:)?endpoint[\s>]/.test(text)) return resource;
  const key = [...substitutes.keys()].find((name) => registryPathOf(name) === resource.path);
  const changed = substitute(text, (element) => {
    const byName = nameOf(element, substitutes, used);
    if (byName || key === undefined || element.parent !== null) return byName;
    used.add(key);
    return substitutes.get(key);
  });
  return changed === text ? resource : { ...resource, content: Buffer.from(changed) };
}

type Substitute = { readonly address: string; readonly context: string } | undefined;

function nameOf(element: XmlElement, substitutes: Substitutes, used: Set<string>): Substitute {
  const name = element.attributes.find(({ local }) => local === 'name')?.value ?? '';
  const found = substitutes.get(name);
  if (found) used.add(name);
  return found;
}

function substitute(text: string, find: (endpoint: XmlElement) => Substitute): string {
  const document = parsed(text);
  if (!document) return text;
  const changes = endpointsIn(document.root).flatMap((endpoint) => {
    const found = find(endpoint);
    const change = found && changeOf(document, endpoint, found);
    return change ? [change] : [];
  });
  return changes.reduceRight(
    (changed, { from, to, value }) => `${changed.slice(0, from)}${value}${changed.slice(to)}`,
    text,
  );
}

/** What is not well-formed stays as it is: the deployment says what is wrong with it. */
function parsed(text: string): XmlDocument | undefined {
  try {
    return parseXml(text, { positions: true });
  } catch (error) {
    if (error instanceof XmlError) return undefined;
    throw error;
  }
}

function endpointsIn(element: XmlElement): XmlElement[] {
  const children = element.children.filter((child) => child.kind === 'element');
  const nested = children.flatMap((child) => endpointsIn(child));
  return element.local === 'endpoint' ? [element, ...nested] : nested;
}

function changeOf(
  { source }: XmlDocument,
  endpoint: XmlElement,
  { address, context }: NonNullable<Substitute>,
): Change | undefined {
  for (const child of endpoint.children) {
    if (child.kind !== 'element') continue;
    const attribute = child.attributes.find(({ local }) => addressAttributes.includes(local));
    if (!attribute) continue;
    const end = source.indexOf('>', child.offset);
    const written = new RegExp(`\\s${attribute.local}\\s*=\\s*(["'])`, 'g');
    written.lastIndex = child.offset;
    const match = written.exec(source);
    if (!match || (end >= 0 && match.index > end)) return undefined;
    const from = match.index + match[0].length;
    const to = source.indexOf(match[1] ?? '"', from);
    return { from, to, value: `${address}${belowContext(source.slice(from, to), context)}` };
  }
  return undefined;
}

/** What an address names below the context of its substitute, which may have a resource for it. */
function belowContext(written: string, context: string): string {
  const path = /^[a-z][a-z+.-]*:\/\/[^/?]*(\/.*)$/i.exec(written)?.[1] ?? '';
  if (!path.startsWith(context)) return '';
  const rest = path.slice(context.length);
  return rest.startsWith('/') && rest !== '/' ? rest : '';
}
