import type { JsonValue } from '#json';
import type { Message } from '#message';
import { appendChild, cloneNode, detach, insertBeside, XmlElement, type SourceNode } from '#xml';
import type { CompileContext, ParseContext } from '../context.ts';
import { CONTINUE, type Flow } from '../flow.ts';
import type { Compiled } from '../mediator.ts';
import { declareNamespaces, readExpression, synapseElement, type ExpressionSource } from '../reading.ts';
import { compileSequence, parseSequence, serializeSteps, type SequenceDefinition } from '../sequence.ts';
import { copyForBranch, Split } from '../split.ts';
import { itemsOf, noList, payloadOf, type Item } from './collection.ts';
import { gather } from './gather.ts';
import { jsonPathSource, type JsonPathSource } from './json-path-source.ts';
import { combineResults, readResultForm, valueOfBranch, type ResultForm } from './result-form.ts';

/** `<foreach collection>`: each element goes through a branch, the results go where the artifact says (mediators 5.5). */
export interface CollectionLoop {
  readonly collection: ExpressionSource | undefined;
  /** Where the collection is in a JSON payload, and the variable in which it is otherwise. */
  readonly path: JsonPathSource | undefined;
  readonly variable: string | undefined;
  readonly isParallel: boolean;
  readonly updatesOriginal: boolean;
  /** True where target and type have the names of the first version of this form. */
  readonly isOlder: boolean;
  readonly target: string | undefined;
  readonly form: ResultForm | undefined;
  readonly counter: string | undefined;
  readonly isDetached: boolean;
  readonly sequence: SequenceDefinition;
}

export function parseCollection(node: SourceNode, context: ParseContext): CollectionLoop {
  const collection = readExpression(node, 'collection');
  const isDetached = node.flag('continue-without-aggregation', false);
  const target = node.attribute('target-variable') ?? node.attribute('result-target');
  // The first version of this form had no "update-original": naming a target said it.
  const isOlder = node.attribute('result-target') !== undefined;
  const updatesOriginal = node.flag('update-original', !isOlder);
  const isCollected = !updatesOriginal && !isDetached;
  if (isCollected && target === undefined) node.required('target-variable');
  const typeAttribute = isOlder ? 'result-type' : 'result-content-type';
  const child = node.child('sequence');
  if (!child) node.error('<foreach> needs a <sequence>', { code: 'MR_ARTIFACT_CHILD' });
  const isParallel = node.flag('parallel-execution', true);
  const counter = node.attribute('counter-variable');
  if (counter !== undefined && isParallel) {
    node.warn('"counter-variable" needs parallel-execution="false"', { attribute: 'counter-variable' });
  }
  const hasForm = isCollected || node.attribute(typeAttribute) !== undefined;
  return {
    collection,
    path: collection && jsonPathSource(node, collection.text),
    variable: /^\$\{vars?\.([A-Za-z_][\w-]*)\}$/.exec(collection?.text.trim() ?? '')?.[1],
    isParallel,
    updatesOriginal,
    isOlder,
    target,
    form: hasForm ? readResultForm(node, typeAttribute) : undefined,
    counter,
    isDetached,
    sequence: child ? parseSequence(child, context) : { steps: [], onError: undefined },
  };
}

export function serializeCollection(loop: CollectionLoop): XmlElement {
  const { collection, isParallel, updatesOriginal, isOlder, target, form, counter, isDetached, sequence } = loop;
  const element = synapseElement('foreach', {
    collection: collection?.text,
    'parallel-execution': isParallel ? undefined : false,
    'update-original': updatesOriginal || isOlder ? undefined : false,
    [isOlder ? 'result-target' : 'target-variable']: target,
    [isOlder ? 'result-type' : 'result-content-type']: form?.contentType,
    'result-enclosing-element': form?.enclosing,
    'counter-variable': counter,
    'continue-without-aggregation': isDetached || undefined,
  });
  appendChild(element, serializeSteps(synapseElement('sequence', { onError: sequence.onError }), sequence.steps));
  return declareNamespaces(element, [collection]);
}

export function compileCollection(loop: CollectionLoop, context: CompileContext): Compiled {
  const { collection, isParallel, counter } = loop;
  const run = compileSequence(loop.sequence, context.at('sequence'));
  return (message) => {
    const items = collection ? itemsOf(collection, message) : [];
    if (!items) throw noList(`The collection ${collection?.text ?? ''} of <foreach>`);
    if (items.length === 0) return CONTINUE;
    const branches = items.map((item, index) => ({
      message: () => branchFor(message, item, counter === undefined || isParallel ? undefined : [counter, index]),
      run,
    }));
    if (loop.isDetached) return runDetached(message, branches, context);
    const form = loop.updatesOriginal ? formOf(items) : (loop.form ?? formOf(items));
    const results: unknown[] = Array.from({ length: items.length });
    return gather(message, branches, {
      context,
      isParallel,
      timeout: 0,
      take(ended, index) {
        results[index] = valueOfBranch(ended, form);
        return false;
      },
      finish: () => (loop.updatesOriginal ? update(message, { items, results, loop }) : store(message, results, loop)),
    });
  };
}

function branchFor(message: Message, item: Item, counter: readonly [string, number] | undefined): Message {
  const copy = copyForBranch(message, payloadOf(item, message));
  copy.axis2.delete('NO_ENTITY_BODY');
  if (counter) copy.variables.set(...counter);
  return copy;
}

/** Branches of which nobody waits for the end; they go on nowhere. */
function runDetached(
  message: Message,
  branches: readonly { message(): Message; readonly run: Compiled }[],
  context: CompileContext,
): Flow {
  const split = new Split(message);
  split.enter();
  try {
    for (const branch of branches) {
      const copy = branch.message();
      copy.place = null;
      split.start(copy, branch.run, context.services.branchPool);
    }
  } finally {
    split.leave();
  }
  return CONTINUE;
}

function formOf(items: readonly Item[]): ResultForm {
  const isJson = items.every((item) => 'json' in item);
  return { contentType: isJson ? 'JSON' : 'XML', enclosing: undefined };
}

/** Results of those that came, in the order of the elements. */
function store(message: Message, results: readonly unknown[], { target, form }: CollectionLoop): void {
  const present = results.filter((result) => result !== undefined);
  if (form) message.variables.set(target ?? '', combineResults(present, form));
}

/** Puts results in the places of their elements; one that did not come leaves its element as it was. */
function update(
  message: Message,
  { items, results, loop }: { items: readonly Item[]; results: readonly unknown[]; loop: CollectionLoop },
): void {
  const { path, variable } = loop;
  if (items.some((item) => 'element' in item)) {
    if (variable === undefined) message.payload.editEnvelope();
    for (const [index, item] of items.entries()) replaceElement(item, results[index]);
    return;
  }
  const values = items.map(
    (item, index) => (results[index] === undefined && 'json' in item ? item.json : results[index]) as JsonValue,
  );
  if (variable !== undefined) {
    message.variables.set(variable, values);
    return;
  }
  const root = message.json();
  if (root === undefined || !path || path.isRoot) message.payload.setJsonValue(values);
  else {
    path.set(root, values);
    message.payload.setJsonValue(root);
  }
}

function replaceElement(item: Item, result: unknown): void {
  if (!('element' in item) || !(result instanceof XmlElement)) return;
  insertBeside(item.element, [cloneNode(result)], 'before');
  detach(item.element);
}
