import { synapseCodes } from '#errors';
import type { Message } from '#message';
import { appendChild, type SourceNode, type XmlElement } from '#xml';
import type { CompileContext, ParseContext, StepOrComment } from '../context.ts';
import { Fault } from '../fault.ts';
import { CONTINUE, STOP } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import {
  declareNamespaces,
  readExpression,
  readValue,
  synapseElement,
  type ExpressionSource,
  type ValueSource,
} from '../reading.ts';
import { compileSteps, readSequenceName, serializeSteps } from '../sequence.ts';
import { aggregatePayload } from '../shared/aggregation.ts';
import { lateExpression } from '../shared/late-expression.ts';
import { sequenceReference } from '../shared/branch.ts';
import { correlationNames } from '../shared/correlation.ts';
import { MessageGroups } from '../shared/message-groups.ts';
import { branchOf, type Split } from '../split.ts';

const elementTypes = ['root', 'child'] as const;

interface OnComplete {
  readonly expression: ExpressionSource | undefined;
  readonly sequence: string | undefined;
  readonly steps: readonly StepOrComment[];
  readonly enclosing: string | undefined;
  readonly elementType: 'root' | 'child' | undefined;
}

interface CompleteCondition {
  /** Seconds. */
  readonly timeout: number | undefined;
  readonly count: { readonly min: ValueSource | undefined; readonly max: ValueSource | undefined } | undefined;
}

interface Definition {
  readonly id: string | undefined;
  readonly correlateOn: ExpressionSource | undefined;
  readonly condition: CompleteCondition | undefined;
  readonly onComplete: OnComplete | undefined;
}

/** `<aggregate>`: makes one message of many (mediators 5.7). */
export const aggregate = defineMediator<Definition>({
  element: 'aggregate',
  attributes: ['id'],
  children: ['correlateOn', 'completeCondition', 'onComplete'],
  // What waits in a group must not wait for its body, whose connection would wait with it.
  needsBody: () => true,
  parse(node, context) {
    const correlateNode = node.child('correlateOn');
    const conditionNode = node.child('completeCondition');
    const completeNode = node.child('onComplete');
    correlateNode?.required('expression');
    return {
      id: node.attribute('id'),
      correlateOn: correlateNode && readExpression(correlateNode, 'expression'),
      condition: conditionNode && readCondition(conditionNode),
      onComplete: completeNode && readOnComplete(completeNode, context),
    };
  },
  serialize({ id, correlateOn, condition, onComplete }) {
    const element = synapseElement('aggregate', { id });
    if (correlateOn) {
      const child = synapseElement('correlateOn', { expression: correlateOn.text });
      appendChild(element, declareNamespaces(child, [correlateOn]));
    }
    if (condition) appendChild(element, serializeCondition(condition));
    if (onComplete) appendChild(element, serializeOnComplete(onComplete));
    return element;
  },
  compile: compileAggregate,
});

function readCondition(node: SourceNode): CompleteCondition {
  node.knowOnly(['timeout']);
  node.knowOnlyChildren(['messageCount']);
  const countNode = node.child('messageCount');
  countNode?.knowOnly(['min', 'max']);
  return {
    timeout: node.integer('timeout', -1),
    count: countNode && { min: readCount(countNode, 'min'), max: readCount(countNode, 'max') },
  };
}

function readCount(node: SourceNode, attribute: 'min' | 'max'): ValueSource | undefined {
  const source = readValue(node, attribute);
  if (source?.value.literal !== undefined) node.integer(attribute, -1);
  return source;
}

function serializeCondition({ timeout, count }: CompleteCondition): XmlElement {
  const element = synapseElement('completeCondition', { timeout });
  if (count) {
    const child = synapseElement('messageCount', { min: count.min?.text, max: count.max?.text });
    appendChild(element, declareNamespaces(child, [count.min, count.max]));
  }
  return element;
}

function readOnComplete(node: SourceNode, context: ParseContext): OnComplete {
  node.knowOnly(['expression', 'sequence', 'enclosingElementProperty', 'aggregateElementType']);
  const sequence = readSequenceName(node, 'sequence', context);
  const steps = context.steps(node);
  if (sequence !== undefined && steps.length > 0) {
    node.warn('the sequence that "sequence" names runs; what stands inside does not', { attribute: 'sequence' });
  }
  return {
    expression: readExpression(node, 'expression'),
    sequence,
    steps,
    enclosing: node.attribute('enclosingElementProperty'),
    elementType:
      node.attribute('aggregateElementType') === undefined
        ? undefined
        : node.choice('aggregateElementType', elementTypes, 'root'),
  };
}

function serializeOnComplete({ expression, sequence, steps, enclosing, elementType }: OnComplete): XmlElement {
  const element = synapseElement('onComplete', {
    expression: expression?.text,
    sequence,
    enclosingElementProperty: enclosing,
    aggregateElementType: elementType,
  });
  return serializeSteps(declareNamespaces(element, [expression]), steps);
}

function compileAggregate({ id, correlateOn, condition, onComplete }: Definition, context: CompileContext): Compiled {
  const names = correlationNames(id);
  const findExpression = onComplete?.expression && lateExpression(onComplete.expression);
  const settings = {
    enclosing: onComplete?.enclosing,
    elementType: onComplete?.elementType ?? 'root',
  };
  const groups = new MessageGroups(
    {
      timeout: Math.max(0, condition?.timeout ?? 0) * 1000,
      wanted: (first) => wantedOf(first, names.sequence, condition),
      combine: (base, messages, result) =>
        aggregatePayload(base, messages, { ...settings, expression: findExpression?.(result) }),
      run: compileOnComplete(onComplete, context.at('onComplete')),
    },
    context,
  );
  if (correlateOn) {
    return (message) => {
      if (!correlates(message, correlateOn)) return CONTINUE;
      // The text of the expression is the key, not what it finds: artifacts rely on it (mediators 5.7).
      groups.add(correlateOn.text, message, branchOf(message)?.split ?? null);
      return STOP;
    };
  }
  return (message) => {
    const correlation = message.properties.get(names.correlation);
    if (typeof correlation !== 'string') return CONTINUE;
    groups.add(correlation, message, splitOf(message, id, correlation));
    return STOP;
  };
}

function compileOnComplete(onComplete: OnComplete | undefined, context: CompileContext): Compiled {
  if (onComplete?.sequence !== undefined) return sequenceReference(onComplete.sequence, context);
  return onComplete && onComplete.steps.length > 0 ? compileSteps(onComplete.steps, context) : () => STOP;
}

/** False when the message takes no part; an expression that finds nothing at all is a fault. */
function correlates(message: Message, { expression, text }: ExpressionSource): boolean {
  const value: unknown = expression.evaluateValue(message);
  if (value === false) return false;
  const isNothing = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
  if (!isNothing) return true;
  throw new Fault({
    code: synapseCodes.mediation,
    message: `The expression ${text} of <correlateOn> found nothing in the message`,
  });
}

/** The split whose branches the correlation of a message names. */
function splitOf(message: Message, id: string | undefined, correlation: string): Split | null {
  for (let split = branchOf(message)?.split ?? null; split; split = split.outer) {
    if (split.id === id && split.correlation === correlation) return split;
  }
  return null;
}

/** The least of what completes a group: as many as there are branches, `min`, `max` (mediators 5.7). */
function wantedOf(first: Message, sequence: string, condition: CompleteCondition | undefined): number | undefined {
  const total = Number(/^\d+\/(\d+)$/.exec(String(first.properties.get(sequence)))?.[1]);
  const counts = [total, countOf(condition?.count?.min, first), countOf(condition?.count?.max, first)];
  const positive = counts.filter((count) => count > 0);
  return positive.length === 0 ? undefined : Math.min(...positive);
}

function countOf(source: ValueSource | undefined, message: Message): number {
  const text = source?.value.evaluate(message)?.trim() ?? '';
  if (text === '') return -1;
  if (/^[-+]?\d+(?:\.0)?$/.test(text)) return Number(text);
  throw new Fault({
    code: synapseCodes.mediation,
    message: `A message count of <aggregate> must be a whole number, found "${text}"`,
  });
}
