import { compileJavaRegex } from '#core/java';
import { compilePathTemplate, type PathTemplate } from '#expression';
import {
  compileOwnSequence,
  guardWith,
  readOwnSequence,
  readRemarks,
  restoreRemarks,
  serializeInline,
  STOP,
  synapseElement,
  type Compiled,
  type CompileContext,
  type OwnSequence,
  type ParseContext,
  type Remarks,
} from '#mediation';
import { messageOf } from '#errors';
import type { SourceNode, XmlElement } from '#xml';
import { readBinding } from './binding.ts';
import type { SchemaValidation } from './schema-validation.ts';
import { parseUrlMapping, type UrlMapping } from './url-mapping.ts';

const transports = ['http', 'https'] as const;
const knownMethods = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH'];

export interface ResourceDefinition {
  /** Absent means every method. */
  readonly methods: readonly string[] | undefined;
  readonly mapping: UrlMapping | undefined;
  /** A template that cannot be parsed was reported and has no compiled form. */
  readonly template: { readonly text: string; readonly compiled: PathTemplate | undefined } | undefined;
  readonly protocol: 'http' | 'https' | undefined;
  readonly contentType: string | undefined;
  readonly userAgent: string | undefined;
  readonly bindsTo: readonly string[] | undefined;
  readonly inSequence: OwnSequence;
  readonly outSequence: OwnSequence;
  readonly faultSequence: OwnSequence;
  readonly remarks: Remarks | undefined;
}

/** A resource ready to serve. */
export interface CompiledResource {
  readonly id: string;
  readonly definition: ResourceDefinition;
  readonly mapping: UrlMapping | undefined;
  readonly template: PathTemplate | undefined;
  /** Mapping or template text; empty for the default resource. */
  readonly pattern: string;
  readonly userAgent: ((value: string) => boolean) | undefined;
  /** Request flow without its fault handling; undefined when the resource has none and drops what it gets. */
  readonly inFlow: Compiled | undefined;
  /** Response flow; undefined sends the response straight to the client. */
  readonly outFlow: Compiled | undefined;
  /** Puts the fault handling of the resource around a flow. */
  guard(run: Compiled): Compiled;
}

const attributes = [
  'methods',
  'url-mapping',
  'uri-template',
  'inSequence',
  'outSequence',
  'faultSequence',
  'protocol',
  'content-type',
  'user-agent',
  'binds-to',
  'statistics',
  'trace',
  'description',
];

/** Reads a `<resource>` (runtime-core 2.1). */
export function parseResource(node: SourceNode, context: ParseContext): ResourceDefinition {
  node.knowOnly(attributes);
  node.knowOnlyChildren(['inSequence', 'outSequence', 'faultSequence']);
  const mapping = node.attribute('url-mapping');
  const template = mapping === undefined ? node.attribute('uri-template') : undefined;
  return {
    methods: readMethods(node),
    mapping: mapping === undefined ? undefined : parseUrlMapping(mapping),
    template: template === undefined ? undefined : readTemplate(node, template),
    protocol: node.attribute('protocol') === undefined ? undefined : node.choice('protocol', transports, 'http'),
    contentType: readContentType(node),
    userAgent: readUserAgent(node),
    bindsTo: readBinding(node, context),
    inSequence: readOwnSequence(node, 'inSequence', context),
    outSequence: readOwnSequence(node, 'outSequence', context),
    faultSequence: readOwnSequence(node, 'faultSequence', context),
    remarks: readRemarks(node),
  };
}

/** Writes a resource back. */
export function serializeResource(definition: ResourceDefinition): XmlElement {
  const { methods, mapping, template, protocol, contentType, userAgent, bindsTo } = definition;
  const element = synapseElement('resource', {
    methods: methods?.join(' '),
    'url-mapping': mapping?.text,
    'uri-template': template?.text,
    protocol,
    'content-type': contentType,
    'user-agent': userAgent,
    'binds-to': bindsTo?.join(','),
    inSequence: definition.inSequence.key,
    outSequence: definition.outSequence.key,
    faultSequence: definition.faultSequence.key,
  });
  serializeInline(element, definition);
  return restoreRemarks(element, definition.remarks);
}

/** Compiles a resource (runtime-core 2.10, 3.6); requests are validated before an inline in sequence (2.11). */
export function compileResource(
  definition: ResourceDefinition,
  context: CompileContext,
  validation?: SchemaValidation,
): CompiledResource {
  const { mapping, template, userAgent } = definition;
  const { allowsSubDelimiters } = context.services.settings;
  const sequence = compileOwnSequence(definition.inSequence, context.at('in'));
  const isChecked = validation && sequence && definition.inSequence.inline;
  const inFlow: Compiled | undefined = isChecked
    ? (message) => validation.request(message).then(() => sequence(message))
    : sequence;
  const guard = guardWith(definition.faultSequence, context);
  const agent = userAgent === undefined ? undefined : compileJavaRegex(userAgent);
  return {
    id: context.id,
    definition,
    mapping,
    template:
      template?.compiled && allowsSubDelimiters
        ? compilePathTemplate(template.text, { reserveSubDelimiters: false })
        : template?.compiled,
    pattern: mapping?.text ?? template?.text ?? '',
    userAgent: agent && ((value) => agent.matches(value)),
    inFlow,
    outFlow: compileOwnSequence(definition.outSequence, context.at('out')),
    guard,
  };
}

/** A flow that does nothing, for resources without an in sequence. */
export const dropFlow: Compiled = (message) => {
  message.payload.discard();
  return STOP;
};

function readMethods(node: SourceNode): readonly string[] | undefined {
  const text = node.attribute('methods');
  if (text === undefined) return undefined;
  const methods = text.split(' ');
  for (const method of methods) {
    if (knownMethods.includes(method)) continue;
    node.error(`"methods" holds ${knownMethods.join(', ')}, separated by single blanks; found "${method}"`, {
      attribute: 'methods',
    });
  }
  return methods;
}

function readTemplate(node: SourceNode, text: string): ResourceDefinition['template'] {
  try {
    return { text, compiled: compilePathTemplate(text) };
  } catch (error) {
    node.error(messageOf(error), { attribute: 'uri-template', code: 'MR_URI_TEMPLATE' });
    return { text, compiled: undefined };
  }
}

function readContentType(node: SourceNode): string | undefined {
  const text = node.attribute('content-type');
  if (text !== undefined && !/^[^/\s]+\/[^/\s]+$/.test(text)) {
    node.error(`"content-type" must be of the form type/subtype, found "${text}"`, { attribute: 'content-type' });
  }
  return text;
}

function readUserAgent(node: SourceNode): string | undefined {
  const text = node.attribute('user-agent');
  if (text === undefined) return undefined;
  try {
    compileJavaRegex(text);
    return text;
  } catch (error) {
    node.error(`"user-agent" is not a regular expression: ${messageOf(error)}`, { attribute: 'user-agent' });
    return undefined;
  }
}
