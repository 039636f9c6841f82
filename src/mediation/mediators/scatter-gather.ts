import { synapseCodes } from '#errors';
import type { JsonValue } from '#json';
import type { Message } from '#message';
import { appendChild, type SourceNode, type XmlElement } from '#xml';
import type { CompileContext } from '../context.ts';
import { Fault } from '../fault.ts';
import type { Flow } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import {
  declareNamespaces,
  expressionSource,
  readExpression,
  readValue,
  synapseElement,
  type ExpressionSource,
  type ValueSource,
} from '../reading.ts';
import { compileSequence, parseSequence, serializeSteps, type SequenceDefinition } from '../sequence.ts';
import { gather } from '../shared/gather.ts';
import { combineResults, readResultForm, setResultBody, type ResultForm } from '../shared/result-form.ts';
import { copyForBranch } from '../split.ts';

interface Aggregation {
  readonly expression: ExpressionSource | undefined;
  readonly condition: ExpressionSource | undefined;
  /** Milliseconds. */
  readonly timeout: number;
  readonly min: Amount | undefined;
  readonly max: Amount | undefined;
}

/** A number that is literal, `{dynamic}` or an expression. */
type Amount = ValueSource | ExpressionSource;

interface Definition {
  readonly isParallel: boolean;
  /** As it is written: tools begin it with a capital letter, too. */
  readonly target: string;
  readonly variable: string | undefined;
  readonly form: ResultForm;
  readonly aggregation: Aggregation | undefined;
  readonly sequences: readonly SequenceDefinition[];
}

/** `<scatter-gather>`: runs a copy of the message through each sequence and goes on with what they gave (mediators 5.6). */
export const scatterGather = defineMediator<Definition>({
  element: 'scatter-gather',
  attributes: ['parallel-execution', 'target', 'target-variable', 'result-content-type', 'result-enclosing-element'],
  children: ['aggregation', 'sequence'],
  needsBody: () => true,
  parse(node, context) {
    const sequences = node.childrenNamed('sequence').map((child) => parseSequence(child, context));
    if (sequences.length === 0)
      node.error('<scatter-gather> needs at least one <sequence>', { code: 'MR_ARTIFACT_CHILD' });
    const aggregation = node.child('aggregation');
    if (!aggregation) node.error('<scatter-gather> needs an <aggregation>', { code: 'MR_ARTIFACT_CHILD' });
    const target = readTarget(node);
    if (isTarget(target, 'variable')) node.required('target-variable');
    return {
      isParallel: node.flag('parallel-execution', true),
      target,
      variable: node.attribute('target-variable'),
      form: readResultForm(node, 'result-content-type'),
      aggregation: aggregation && readAggregation(aggregation),
      sequences,
    };
  },
  serialize({ isParallel, target, variable, form, aggregation, sequences }) {
    const element = synapseElement('scatter-gather', {
      'parallel-execution': isParallel ? undefined : false,
      target,
      'target-variable': variable,
      'result-content-type': form.contentType,
      'result-enclosing-element': form.enclosing,
    });
    if (aggregation) appendChild(element, serializeAggregation(aggregation));
    for (const { steps, onError } of sequences) {
      appendChild(element, serializeSteps(synapseElement('sequence', { onError }), steps));
    }
    return element;
  },
  compile: compileScatterGather,
});

function readTarget(node: SourceNode): string {
  const text = node.required('target');
  return isTarget(text, 'body') || isTarget(text, 'variable')
    ? text
    : node.choice('target', ['body', 'variable'], 'body');
}

function isTarget(written: string, target: 'body' | 'variable'): boolean {
  return written.toLowerCase() === target;
}

function readAggregation(node: SourceNode): Aggregation {
  node.knowOnly(['expression', 'condition', 'timeout', 'min-messages', 'max-messages']);
  node.required('expression');
  return {
    expression: readExpression(node, 'expression'),
    condition: readExpression(node, 'condition'),
    timeout: node.integer('timeout', 0) ?? 0,
    min: readAmount(node, 'min-messages'),
    max: readAmount(node, 'max-messages'),
  };
}

function readAmount(node: SourceNode, attribute: string): Amount | undefined {
  const text = node.attribute(attribute);
  if (text?.startsWith('${')) return expressionSource(node, text, attribute);
  const source = readValue(node, attribute);
  if (source?.value.literal !== undefined) node.integer(attribute, -1);
  return source;
}

function serializeAggregation({ expression, condition, timeout, min, max }: Aggregation): XmlElement {
  const element = synapseElement('aggregation', {
    expression: expression?.text,
    condition: condition?.text,
    timeout: timeout || undefined,
    'min-messages': min?.text,
    'max-messages': max?.text,
  });
  return declareNamespaces(element, [expression, condition, min, max]);
}

function compileScatterGather(definition: Definition, context: CompileContext): Compiled {
  const { isParallel, form, aggregation, target, variable } = definition;
  const runs = definition.sequences.map((sequence, index) =>
    compileSequence(sequence, context.at(`sequence:${index}`)),
  );
  const condition = compileCondition(aggregation?.condition);
  return (message): Flow | Promise<Flow> => {
    const results: unknown[] = [];
    const wanted = wantedOf(message, aggregation);
    return gather(
      message,
      runs.map((run) => ({ message: () => copyForBranch(message), run })),
      {
        context,
        isParallel,
        timeout: aggregation?.timeout ?? 0,
        take(ended) {
          if (condition(ended)) results.push(aggregation?.expression?.expression.evaluateValue(ended));
          return results.length >= wanted;
        },
        finish: () => setResult(message, combineResults(results.flatMap(ofNodes), form)),
      },
    );
  };

  function setResult(message: Message, result: JsonValue | XmlElement): void {
    if (isTarget(target, 'variable')) message.variables.set(variable ?? '', result);
    else setResultBody(message, result);
  }

  /** A list of nodes gives each of them; an array of JSON is one result. */
  function ofNodes(value: unknown): unknown[] {
    const isNodes =
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((each) => typeof each === 'object' && each !== null && 'kind' in each);
    return isNodes ? (value as unknown[]) : [value];
  }
}

function compileCondition(source: ExpressionSource | undefined): (message: Message) => boolean {
  return source ? (message) => source.expression.evaluateBoolean(message) : () => true;
}

/** How many results complete the group: the lesser of min and max, as far as they say something. */
function wantedOf(message: Message, aggregation: Aggregation | undefined): number {
  const counts = [amountOf(aggregation?.min, message), amountOf(aggregation?.max, message)];
  return Math.min(...counts.map((count) => (count > 0 ? count : Infinity)));
}

function amountOf(source: Amount | undefined, message: Message): number {
  if (!source) return -1;
  const text = ('value' in source ? source.value.evaluate(message) : source.expression.evaluateString(message)) ?? '';
  if (/^\s*-?\d+\s*$/.test(text)) return Number(text);
  throw new Fault({
    code: synapseCodes.mediation,
    message: `The number of messages of <scatter-gather> must be a whole number, found "${text}"`,
  });
}
