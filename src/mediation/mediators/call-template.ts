import { synapseCodes } from '#errors';
import { appendChild, type SourceNode } from '#xml';
import { LateParameter, type Message } from '#message';
import { libraryOf } from '../context.ts';
import { Fault } from '../fault.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import {
  declareNamespaces,
  expressionSource,
  readValue,
  synapseElement,
  type ExpressionSource,
  type ValueSource,
} from '../reading.ts';
import { readSequenceName, withFaultSequence } from '../sequence.ts';
import { runTemplate, withDefaults } from '../shared/template-call.ts';

interface Argument {
  readonly name: string;
  readonly value: ValueSource | undefined;
  /** The expression of a value in double braces, which the template evaluates. */
  readonly late: ExpressionSource | undefined;
}

interface Definition {
  readonly target: string;
  readonly onError: string | undefined;
  readonly parameters: readonly Argument[];
}

/** `<call-template>`: runs a sequence template with parameters of its own (mediators 2.7). */
export const callTemplate = defineMediator<Definition>({
  element: 'call-template',
  attributes: ['target', 'onError'],
  children: ['with-param'],
  needsBody: ({ parameters }) =>
    parameters.some(({ value, late }) => (late ? late.expression.contentAware : value?.value.contentAware === true)),
  parse(node, context) {
    const target = node.required('target');
    if (target !== '') context.refer({ kind: 'template', key: target, node, attribute: 'target' });
    return {
      target,
      onError: readSequenceName(node, 'onError', context),
      parameters: node.childrenNamed('with-param').map(readArgument),
    };
  },
  serialize({ target, onError, parameters }) {
    const element = synapseElement('call-template', { target, onError });
    for (const { name, value } of parameters) {
      const child = synapseElement('with-param', { name, value: value?.text });
      appendChild(element, declareNamespaces(child, [value]));
    }
    return element;
  },
  compile({ target, onError, parameters }, context): Compiled {
    const run: Compiled = (message) => {
      const template = libraryOf(message).sequenceTemplate(target);
      if (!template) {
        throw new Fault({
          code: synapseCodes.mediation,
          message: `Sequence template ${target} cannot be found`,
        });
      }
      const values = withDefaults(template, valuesOf(parameters, message));
      return runTemplate({ template, values, maxBodyBytes: context.services.settings.maxBodyBytes }, message);
    };
    return onError === undefined ? run : withFaultSequence(run, onError, context);
  },
});

function readArgument(node: SourceNode): Argument {
  const late = /^\s*\{\{(.*)\}\}\s*$/s.exec(node.attribute('value') ?? '')?.[1];
  return {
    name: node.required('name'),
    value: readValue(node, 'value'),
    late: late === undefined ? undefined : expressionSource(node, late, 'value'),
  };
}

function valuesOf(args: readonly Argument[], message: Message): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const { name, value, late } of args) {
    const result = late ? new LateParameter(late.expression) : value?.value.evaluate(message);
    if (result !== undefined) values.set(name, result);
  }
  return values;
}
