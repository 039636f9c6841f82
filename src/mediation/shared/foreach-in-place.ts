import { parseJson, stringifyJson, type JsonValue } from '#json';
import type { Message } from '#message';
import { appendChild, cloneNode, insertBeside, detach, type SourceNode, type XmlElement } from '#xml';
import type { CompileContext, ParseContext } from '../context.ts';
import { faultFields, faultAt } from '../fault.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import type { Compiled } from '../mediator.ts';
import { declareNamespaces, readExpression, synapseElement, type ExpressionSource } from '../reading.ts';
import {
  compileSequence,
  parseSequence,
  readSequenceName,
  serializeSteps,
  type SequenceDefinition,
} from '../sequence.ts';
import { sequenceReference } from './branch.ts';
import { itemsOf, noList, payloadOf, type Item } from './collection.ts';
import { jsonPathSource, type JsonPathSource } from './json-path-source.ts';

/** `<foreach expression>`: each element goes through a sequence and comes back in its place (mediators 5.4). */
export interface InPlaceLoop {
  readonly id: string | undefined;
  readonly expression: ExpressionSource | undefined;
  /** Where the elements of a JSON payload are, to be written to. */
  readonly path: JsonPathSource | undefined;
  readonly sequence: string | undefined;
  readonly inline: SequenceDefinition | undefined;
  readonly continuesOnFailure: boolean;
}

/** What the loop may not hold: nothing waits for their answers in it. */
const forbidden = ['call', 'send', 'callout'];

export function parseInPlace(node: SourceNode, context: ParseContext): InPlaceLoop {
  node.required('expression');
  const expression = readExpression(node, 'expression');
  const child = node.child('sequence');
  const sequence = readSequenceName(node, 'sequence', context);
  if ((child === undefined) === (sequence === undefined)) {
    node.error('<foreach> needs either the attribute "sequence" or a <sequence>', { code: 'MR_ARTIFACT_CHILD' });
  }
  for (const mediator of child?.children() ?? []) {
    if (!forbidden.includes(mediator.local)) continue;
    mediator.error('Sequence cannot contain Call, Send or CallOut mediators', { code: 'MR_FOREACH_CALL' });
  }
  return {
    id: node.attribute('id'),
    expression,
    path: expression && jsonPathSource(node, expression.text),
    sequence,
    inline: child && parseSequence(child, context),
    continuesOnFailure: node.flag('continueLoopOnFailure', false),
  };
}

export function serializeInPlace({ id, expression, sequence, inline, continuesOnFailure }: InPlaceLoop): XmlElement {
  const element = synapseElement('foreach', {
    id,
    expression: expression?.text,
    sequence,
    continueLoopOnFailure: continuesOnFailure || undefined,
  });
  if (inline) {
    appendChild(element, serializeSteps(synapseElement('sequence', { onError: inline.onError }), inline.steps));
  }
  return declareNamespaces(element, [expression]);
}

export function compileInPlace(loop: InPlaceLoop, context: CompileContext): Compiled {
  const { id, expression, sequence, inline } = loop;
  const run: Compiled =
    sequence === undefined
      ? compileSequence(inline ?? { steps: [], onError: undefined }, context.at('sequence'))
      : sequenceReference(sequence, context);
  const prefix = id === undefined ? '' : `${id}_`;
  return (message) => {
    const items = expression ? itemsOf(expression, message) : [];
    if (!items) throw noList(`The expression ${expression?.text ?? ''} of <foreach>`);
    if (items.length === 0) return CONTINUE;
    message.properties.set(`${prefix}FOREACH_ORIGINAL_MESSAGE`, cloneNode(message.envelope()));
    const turns = new InPlaceTurns({ message, items, run, loop, counter: `${prefix}FOREACH_COUNTER`, context });
    return turns.from(0);
  };
}

interface Turn {
  readonly message: Message;
  readonly items: readonly Item[];
  readonly run: Compiled;
  readonly loop: InPlaceLoop;
  readonly counter: string;
  readonly context: CompileContext;
}

/** One run of the loop; the payload changes when the last element is through. */
class InPlaceTurns {
  readonly #turn: Turn;
  readonly #results: (Item | undefined)[] = [];

  constructor(turn: Turn) {
    this.#turn = turn;
  }

  from(first: number): Flow | Promise<Flow> {
    const { items } = this.#turn;
    for (let index = first; index < items.length; index++) {
      const flow = this.#runOne(index);
      if (typeof flow !== 'boolean')
        return flow.then((ended) => (ended === STOP ? this.#finish() : this.from(index + 1)));
      if (flow === STOP) break;
    }
    return this.#finish();
  }

  #runOne(index: number): Flow | Promise<Flow> {
    const { message, items, run, counter } = this.#turn;
    message.properties.set(counter, index);
    const one = message.clone(payloadOf(items[index] as Item, message));
    one.axis2.delete('NO_ENTITY_BODY');
    const keep = (flow: Flow): Flow => {
      if (flow !== STOP) this.#results[index] = resultOf(one, items[index] as Item);
      return flow;
    };
    try {
      const flow = run(one);
      return typeof flow === 'boolean' ? keep(flow) : flow.then(keep).catch((error: unknown) => this.#failed(error));
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** A fault ends the loop and the flow, unless the artifact wants the other elements all the same. */
  #failed(error: unknown): Flow {
    const { loop, context, message } = this.#turn;
    if (!loop.continuesOnFailure) throw error;
    const fields = faultFields(faultAt(error, context.id, undefined));
    context.services.log.warn(
      { ...fields, message: message.id },
      'an element failed; the loop goes on with the next one',
    );
    return CONTINUE;
  }

  #finish(): Flow {
    const { message, items, loop } = this.#turn;
    if (items.every((item) => 'json' in item)) this.#writeJson(message, items, loop);
    else {
      message.payload.editEnvelope();
      for (const [index, item] of items.entries()) replaceElement(item, this.#results[index]);
    }
    return CONTINUE;
  }

  #writeJson(message: Message, items: readonly { readonly json: JsonValue }[], { path }: InPlaceLoop): void {
    const values = items.map((item, index) => {
      const result = this.#results[index];
      return result && 'json' in result ? result.json : item.json;
    });
    const root = message.json();
    if (root === undefined || !path || path.isRoot) message.payload.setJson(stringifyJson(values));
    else {
      path.set(root, values);
      message.payload.setJsonValue(root);
    }
  }
}

/** What the sequence made of an element; undefined when it left nothing. */
function resultOf({ payload }: Message, item: Item): Item | undefined {
  if ('json' in item) {
    const json = payload.jsonText();
    const value = json === undefined ? payload.jsonValue() : parseJson(json);
    return value === undefined ? undefined : { json: value };
  }
  const element = payload.content();
  return element && { element };
}

function replaceElement(item: Item, result: Item | undefined): void {
  if (!('element' in item) || !result || !('element' in result)) return;
  insertBeside(item.element, [cloneNode(result.element)], 'before');
  detach(item.element);
}
