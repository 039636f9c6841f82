import { PendingValue, type Position } from '#errors';
import { noteIncident, type Message, type Place } from '#message';
import { appendChild, XmlComment, type SourceNode, type XmlElement } from '#xml';
import { compileStep } from './advice.ts';
import { libraryOf, type CompileContext, type ParseContext, type StepOrComment } from './context.ts';
import { describeFault, faultAt, faultFields, type Fault } from './fault.ts';
import { CONTINUE, STOP, type Flow } from './flow.ts';
import type { AnyMediatorType, Compiled, Step } from './mediator.ts';

/** A parsed sequence: its mediators and the sequence that handles what fails in it. */
export interface SequenceDefinition {
  readonly steps: readonly StepOrComment[];
  readonly onError: string | undefined;
}

interface CompiledStep {
  readonly run: Compiled;
  readonly needsBody: boolean;
  readonly id: string;
  readonly position: Position;
}

/** Makes the parse context over a set of mediator types. */
export function createParseContext(
  types: ReadonlyMap<string, AnyMediatorType>,
  report: ParseContext['report'],
  refer: ParseContext['refer'],
): ParseContext {
  const context: ParseContext = {
    report,
    refer,
    steps(node) {
      const steps: StepOrComment[] = [];
      for (const child of node.nodes()) {
        if (child.kind === 'comment') steps.push({ comment: child.value });
        if (child.kind !== 'element' || child.local === 'description') continue;
        const childNode = node.wrap(child);
        const type =
          types.get(child.local) ?? (child.local.includes('.') ? types.get('connector.operation') : undefined);
        if (type) steps.push(type.toStep(childNode, context));
        else reportUnknown(childNode);
      }
      return steps;
    },
  };
  return context;
}

function reportUnknown(node: SourceNode): void {
  node.error(`Unknown mediator referenced by configuration element : <${node.element.name}>`, {
    code: 'MR_MEDIATOR_UNKNOWN',
  });
}

/** Parses an element whose children are mediators. */
export function parseSequence(node: SourceNode, context: ParseContext): SequenceDefinition {
  return { steps: context.steps(node), onError: readSequenceName(node, 'onError', context) };
}

/** Reads an attribute that names a sequence, and notes the reference. */
export function readSequenceName(node: SourceNode, attribute: string, context: ParseContext): string | undefined {
  const key = node.attribute(attribute);
  if (key !== undefined) context.refer({ kind: 'sequence', key, node, attribute });
  return key;
}

/** Appends the mediators of a sequence to `element`, comments in place. */
export function serializeSteps(element: XmlElement, steps: readonly StepOrComment[]): XmlElement {
  for (const step of steps) appendChild(element, 'comment' in step ? new XmlComment(step.comment) : step.serialize());
  return element;
}

/** Compiles a sequence with its `onError`. */
export function compileSequence(definition: SequenceDefinition, context: CompileContext): Compiled {
  const run = compileSteps(definition.steps, context);
  return definition.onError === undefined ? run : withFaultSequence(run, definition.onError, context);
}

/**
 * Compiles a list of mediators into one. It runs on the caller's turn until a mediator has to wait, and it loads the
 * payload right before the first mediator that reads it (runtime-core 6.1).
 */
export function compileSteps(steps: readonly StepOrComment[], context: CompileContext): Compiled {
  const compiled = steps.filter(isMediator).map((step, index): CompiledStep => {
    const place = context.at(index);
    return { run: compileStep(step, place), needsBody: step.needsBody, id: place.id, position: step.position };
  });
  const { maxBodyBytes } = context.services.settings;

  const runFrom = (message: Message, first: number): Flow | Promise<Flow> => {
    const { place: outer, frame, handlers } = message;
    const place = { index: first, depth: outer ? outer.depth + 1 : 0, outer, frame, handlers, runFrom };
    message.place = place;
    return goOn(message, place);
  };

  const goOn = (message: Message, place: Place): Flow | Promise<Flow> => {
    for (; place.index < compiled.length; place.index++) {
      const step = compiled[place.index] as CompiledStep;
      if (step.needsBody && !message.payload.loaded) {
        return message.payload.load(maxBodyBytes).then(
          () => goOn(message, place),
          (error: unknown) => fail(error, message, place),
        );
      }
      let flow: Flow | Promise<Flow>;
      try {
        flow = step.run(message);
      } catch (error) {
        return fail(error, message, place);
      }
      if (flow === CONTINUE) continue;
      if (flow === STOP) break;
      return goOnAfter(flow, message, place);
    }
    message.place = place.outer;
    return place.index === compiled.length;
  };

  const goOnAfter = async (pending: Flow | Promise<Flow>, message: Message, place: Place): Promise<Flow> => {
    let flow: Flow;
    try {
      flow = await pending;
    } catch (error) {
      return fail(error, message, place);
    }
    if (flow === STOP) {
      message.place = place.outer;
      return STOP;
    }
    place.index++;
    return goOn(message, place);
  };

  const fail = (error: unknown, message: Message, place: Place): Promise<Flow> => {
    // A value from outside is not here yet: the same mediator runs again with it.
    if (error instanceof PendingValue) return error.ready.then(() => goOn(message, place));
    const step = compiled[place.index] as CompiledStep;
    message.place = place.outer;
    throw faultAt(error, step.id, step.position);
  };

  return (message) => runFrom(message, 0);
}

function isMediator(step: StepOrComment): step is Step {
  return !('comment' in step);
}

/** Wraps `run` so that a fault in it runs the named sequence instead, after which the flow stops. */
export function withFaultSequence(run: Compiled, key: string, context: CompileContext): Compiled {
  const { services } = context;
  return withFaultHandler(
    run,
    (message, fault) => {
      const handler = libraryOf(message).sequence(key);
      if (handler) return handler(message);
      services.log.warn(
        { onError: key, at: context.id },
        'the fault sequence does not exist; the next one handles the fault',
      );
      throw fault;
    },
    context,
  );
}

/**
 * Wraps `run` with a fault handler: the error properties are set, the handler runs, and the flow stops. What the
 * handler itself throws goes to the handler around it.
 */
export function withFaultHandler(
  run: Compiled,
  handle: (message: Message, fault: Fault) => Flow | Promise<Flow>,
  context: CompileContext,
): Compiled {
  const onFault = (message: Message, thrown: unknown): Flow | Promise<Flow> => {
    const fault = faultAt(thrown, context.id, undefined);
    enterFault(message, fault, context);
    const flow = handle(message, fault);
    return typeof flow === 'boolean' ? STOP : flow.then(() => STOP);
  };
  return (message) => {
    const { handlers } = message;
    message.handlers = { handle: onFault, outer: handlers };
    const failed = (error: unknown): Flow | Promise<Flow> => {
      message.handlers = handlers;
      return onFault(message, error);
    };
    let flow: Flow | Promise<Flow>;
    try {
      flow = run(message);
    } catch (error) {
      return failed(error);
    }
    if (typeof flow === 'boolean') {
      message.handlers = handlers;
      return flow;
    }
    return flow.then((ended) => {
      message.handlers = handlers;
      return ended;
    }, failed);
  };
}

/** Sets what fault sequences read, and status 500 when the fault came up on the way back (runtime-core 3.5, 3.6). */
function enterFault(message: Message, fault: Fault, context: CompileContext): void {
  describeFault(message, fault);
  message.exchange.failed = true;
  // After a fault sequence the lists around it do not resume (runtime-core 3.5).
  message.place = null;
  noteIncident(message, 'fault', faultFields(fault));
  message.axis2.delete('NO_KEEPALIVE');
  if (message.replied && message.properties.get('SENDING_FAULT') !== true) message.axis2.set('HTTP_SC', 500);
  context.services.log.warn(
    { ...faultFields(fault), message: message.id },
    'a message failed; its fault sequence runs',
  );
}
