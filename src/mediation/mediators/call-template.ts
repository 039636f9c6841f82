import { synapseCodes } from '#errors';
import { appendChild, type SourceNode } from '#xml';
import { LateParameter, type Message } from '#message';
import { Fault } from '../fault.ts';
import type { Flow } from '../flow.ts';
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
import type { SequenceTemplate } from '../template.ts';

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
    let template: SequenceTemplate | undefined;
    const run: Compiled = (message) => {
      template ??= context.library.sequenceTemplate(target);
      if (!template) {
        throw new Fault({
          code: synapseCodes.mediation,
          message: `Sequence template ${target} cannot be found`,
        });
      }
      return runInFrame(template, bind(template, parameters, message), message);
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

function runInFrame(
  template: SequenceTemplate,
  parameters: ReadonlyMap<string, unknown>,
  message: Message,
): Flow | Promise<Flow> {
  const outer = message.frame;
  const leave = (): void => {
    message.frame = outer;
  };
  message.frame = { parameters, outer };
  let flow: Flow | Promise<Flow> | undefined;
  try {
    flow = template.run(message);
    return typeof flow === 'boolean' ? flow : flow.finally(leave);
  } finally {
    if (typeof flow !== 'object') leave();
  }
}

/** Values of the call, defaults of the template; a mandatory parameter without a value is error 500101. */
function bind(template: SequenceTemplate, args: readonly Argument[], message: Message): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const { name, value, late } of args) {
    const result = late
      ? new LateParameter((reader) => late.expression.evaluateString(reader))
      : value?.value.evaluate(message);
    if (result !== undefined) values.set(name, result);
  }
  for (const { name, mandatory, defaultValue } of template.parameters) {
    if (values.has(name)) continue;
    if (defaultValue !== undefined) values.set(name, defaultValue);
    else if (mandatory) {
      throw new Fault({
        code: synapseCodes.templateParameterMissing,
        message: `The mandatory parameter "${name}" of the template ${template.name} has no value`,
      });
    }
  }
  return values;
}
