import { isRecord, textIn, type Fields } from './fields.ts';
import type { DebugPlace, InboundSequence } from './place.ts';

/** What the debugger must know of the artifacts that are deployed. */
export interface DebuggedArtifacts {
  has(key: string): boolean;
  /** The resource of an API by method and mapping; undefined when there is none. */
  resource(api: string, method: string, mapping: string): number | undefined;
  /** The name of a sequence of an inbound endpoint; undefined when it has none. */
  inboundSequence(endpoint: string, sequence: InboundSequence): string | undefined;
  /** Method and mapping of a resource. */
  describe(api: string, resource: number): { readonly method: string; readonly mapping: string };
}

/** Names of the lists of services, by the last part of a sequence type. */
const lists: Readonly<Record<string, string>> = { inseq: 'in', outseq: 'out', faultseq: 'fault' };

/**
 * The place that a command names.
 *
 * @throws Error with a text for the client when the command is incomplete or names nothing that is deployed
 */
export function readComponent(command: Fields, artifacts: DebuggedArtifacts): DebugPlace {
  const kind = textIn(command, 'mediation-component');
  const component = command[kind];
  if (!isRecord(component)) throw new Error(`mediation component ${kind} is missing`);
  if (kind === 'template')
    return placeIn(existing(`template:${textIn(component, 'template-key')}`, artifacts), component);
  if (kind !== 'sequence') throw new Error(`mediation component ${kind} cannot be debugged`);
  const { api, proxy, inbound } = component;
  if (isRecord(api)) return readApi(api, artifacts);
  if (isRecord(proxy)) {
    const key = existing(`proxy:${textIn(proxy, 'proxy-key')}`, artifacts);
    return placeIn(`${key}/${listOf(proxy)}`, proxy);
  }
  if (isRecord(inbound)) return readInbound(inbound, artifacts);
  return placeIn(existing(`sequence:${textIn(component, 'sequence-key')}`, artifacts), component);
}

/** A place in a sequence that an inbound endpoint names: messages of others stop there as well, as in the original. */
function readInbound(inbound: Fields, artifacts: DebuggedArtifacts): DebugPlace {
  const name = textIn(inbound, 'inbound-key');
  existing(`inboundEndpoint:${name}`, artifacts);
  const sequence = textIn(inbound, 'sequence-type').toLowerCase();
  if (sequence !== 'inbound_seq' && sequence !== 'inbound_faultseq') {
    throw new Error(`there is no sequence type ${sequence} of inbound endpoints`);
  }
  const key = artifacts.inboundSequence(name, sequence);
  if (key === undefined) throw new Error(`the inbound endpoint ${name} has no ${sequence}`);
  return { ...placeIn(existing(`sequence:${key}`, artifacts), inbound), inbound: { name, sequence } };
}

function readApi(api: Fields, artifacts: DebuggedArtifacts): DebugPlace {
  const name = textIn(api, 'api-key');
  const key = existing(`api:${name}`, artifacts);
  const { resource } = api;
  if (!isRecord(resource)) throw new Error('api resource is missing');
  const mapping = ['uri-template', 'url-mapping', 'mapping'].map((field) => resource[field]).find(isText) ?? '';
  const method = isText(resource['method']) ? resource['method'] : '';
  const index = artifacts.resource(name, method, mapping);
  if (index === undefined) throw new Error(`there is no resource ${method} ${mapping} in api ${name}`);
  return placeIn(`${key}/resource:${index}/${listOf(api)}`, api);
}

function existing(key: string, artifacts: DebuggedArtifacts): string {
  if (!artifacts.has(key)) throw new Error(`there is no ${key.replace(':', ' ')}`);
  return key;
}

function placeIn(list: string, fields: Fields): DebugPlace {
  const position = textIn(fields, 'mediator-position').trim();
  if (!/^\d+( \d+)*$/.test(position)) throw new Error(`mediator-position must be indexes, found "${position}"`);
  return { list, position };
}

function listOf(fields: Fields): string {
  const type = textIn(fields, 'sequence-type').toLowerCase();
  const list = lists[type.slice(type.indexOf('_') + 1)];
  if (list === undefined) throw new Error(`there is no sequence type ${type}`);
  return list;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The component object of a place, as events show it. */
export function writeComponent({ list, position, inbound }: DebugPlace, artifacts: DebuggedArtifacts): Fields {
  const [artifact = '', ...rest] = list.split('/');
  const colon = artifact.indexOf(':');
  const kind = artifact.slice(0, colon);
  const name = artifact.slice(colon + 1);
  const own = { 'mediator-position': position };
  if (inbound) {
    const asked = { 'inbound-key': inbound.name, 'sequence-type': inbound.sequence, ...own };
    return { 'mediation-component': 'sequence', sequence: { inbound: asked } };
  }
  if (kind === 'template') return { 'mediation-component': 'template', template: { 'template-key': name, ...own } };
  if (kind === 'sequence') {
    return { 'mediation-component': 'sequence', sequence: { 'sequence-type': 'named', 'sequence-key': name, ...own } };
  }
  const typed = { 'sequence-type': `${kind}_${rest.at(-1) ?? ''}seq`, ...own };
  if (kind === 'proxy') {
    return { 'mediation-component': 'sequence', sequence: { proxy: { 'proxy-key': name, ...typed } } };
  }
  const resource = artifacts.describe(name, Number(rest[0]?.split(':')[1]));
  return { 'mediation-component': 'sequence', sequence: { api: { 'api-key': name, resource, ...typed } } };
}
