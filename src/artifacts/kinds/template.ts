import {
  compileSequence,
  parseSequence,
  serializeSteps,
  synapseElement,
  type SequenceDefinition,
  type SequenceTemplate,
  type TemplateParameter,
} from '#mediation';
import { appendChild, type SourceNode } from '#xml';
import { defineArtifact } from '../artifact.ts';

interface Definition {
  readonly name: string;
  readonly parameters: readonly TemplateParameter[];
  readonly sequence: SequenceDefinition;
}

/** `<template name="…">` with a sequence: run by `call-template` (mediators 2.7). */
export const template = defineArtifact<Definition>({
  element: 'template',
  folders: ['templates'],
  order: 4,
  nameOf: (node) => node.required('name'),
  parse(node, context) {
    node.knowOnly(['name', 'onError', 'description']);
    const body = node.child('sequence');
    if (!body) {
      const other = node.child('endpoint');
      const found = other ? 'an endpoint template' : 'nothing';
      (other ?? node).error(`Expected a <sequence> in the template, found ${found}`, {
        code: 'MR_TEMPLATE_UNSUPPORTED',
      });
    }
    const parsed = body ? parseSequence(body, context) : { steps: [], onError: undefined };
    return {
      name: node.attribute('name') ?? '',
      parameters: node.childrenNamed('parameter').map(readParameter),
      sequence: { steps: parsed.steps, onError: node.attribute('onError') ?? parsed.onError },
    };
  },
  serialize({ name, parameters, sequence }) {
    const element = synapseElement('template', { name, onError: sequence.onError });
    for (const { name: parameter, mandatory, defaultValue, description } of parameters) {
      const attributes = { name: parameter, isMandatory: mandatory || undefined, defaultValue, description };
      appendChild(element, synapseElement('parameter', attributes));
    }
    appendChild(element, serializeSteps(synapseElement('sequence'), sequence.steps));
    return element;
  },
  compile: ({ name, parameters, sequence }, context): SequenceTemplate => ({
    name,
    parameters,
    run: compileSequence(sequence, context),
  }),
});

function readParameter(node: SourceNode): TemplateParameter {
  return {
    name: node.required('name'),
    mandatory: node.flag('isMandatory', false),
    defaultValue: node.attribute('defaultValue'),
    description: node.attribute('description'),
  };
}
