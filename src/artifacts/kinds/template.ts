import {
  compileSequence,
  parseSequence,
  serializeSteps,
  synapseElement,
  type EndpointTemplate,
  type ParseContext,
  type SequenceDefinition,
  type SequenceTemplate,
  type TemplateParameter,
} from '#mediation';
import { appendChild, cloneNode, type SourceNode, type XmlElement } from '#xml';
import { defineArtifact } from '../artifact.ts';

/** The endpoint of a template as it stands there, names of parameters in it; and its document, to show places in it. */
interface EndpointBody {
  readonly element: XmlElement;
  readonly file: string;
  readonly source: string;
}

interface Definition {
  readonly name: string;
  readonly onError: string | undefined;
  readonly parameters: readonly TemplateParameter[];
  /** Undefined when the template holds neither, which was reported. */
  readonly body: { readonly sequence: SequenceDefinition } | { readonly endpoint: EndpointBody } | undefined;
}

/** `<template name="…">` with a sequence, run by `call-template`, or an endpoint, used by `endpoint@template` (2.7). */
export const template = defineArtifact<Definition>({
  element: 'template',
  folders: ['templates'],
  // Before the endpoints that are made from templates.
  order: 1,
  nameOf: (node) => node.required('name'),
  parse(node, context) {
    node.knowOnly(['name', 'onError', 'description']);
    return {
      name: node.attribute('name') ?? '',
      onError: node.attribute('onError'),
      parameters: node.childrenNamed('parameter').map(readParameter),
      body: readBody(node, context),
    };
  },
  serialize({ name, onError, parameters, body }) {
    const isSequence = body !== undefined && 'sequence' in body;
    const handler = isSequence ? (onError ?? body.sequence.onError) : onError;
    const element = synapseElement('template', { name, onError: handler });
    for (const { name: parameter, mandatory, defaultValue, description } of parameters) {
      const attributes = { name: parameter, isMandatory: mandatory || undefined, defaultValue, description };
      appendChild(element, synapseElement('parameter', attributes));
    }
    if (isSequence) appendChild(element, serializeSteps(synapseElement('sequence'), body.sequence.steps));
    else if (body) appendChild(element, cloneNode(body.endpoint.element));
    return element;
  },
  compile({ name, onError, parameters, body }, context): SequenceTemplate | EndpointTemplate | undefined {
    if (!body) return undefined;
    if ('endpoint' in body) {
      const { element, file, source } = body.endpoint;
      return { name, parameters, body: element, file, source };
    }
    const { steps, onError: inner } = body.sequence;
    return { name, parameters, run: compileSequence({ steps, onError: onError ?? inner }, context) };
  },
});

function readBody(node: SourceNode, context: ParseContext): Definition['body'] {
  const sequence = node.child('sequence');
  if (sequence) return { sequence: parseSequence(sequence, context) };
  const endpoint = node.child('endpoint');
  if (endpoint) {
    const { file, source } = node.document;
    return { endpoint: { element: endpoint.element, file, source } };
  }
  node.error('Expected a <sequence> or an <endpoint> in the template, found nothing', { code: 'MR_TEMPLATE_EMPTY' });
  return undefined;
}

function readParameter(node: SourceNode): TemplateParameter {
  return {
    name: node.required('name'),
    mandatory: node.flag('isMandatory', false),
    defaultValue: node.attribute('defaultValue'),
    description: node.attribute('description'),
  };
}
