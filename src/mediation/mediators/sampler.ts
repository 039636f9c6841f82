import { appendChild, cloneNode, type XmlElement } from '#xml';
import type { CompileContext } from '../context.ts';
import { CONTINUE, STOP } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import { compileTarget, readOnlyTarget, serializeTarget, type Target } from '../shared/target.ts';
import { copyForBranch, Split } from '../split.ts';

interface Definition {
  readonly id: string | undefined;
  readonly rate: number | undefined;
  /** Milliseconds. */
  readonly unitTime: number | undefined;
  readonly target: Target | undefined;
  /** The class of the queue, for writing back. */
  readonly queue: XmlElement | undefined;
}

/** `<sampler>`: holds messages back and lets so many of them go on in each unit of time (mediators 3.4). */
export const sampler = defineMediator<Definition>({
  element: 'sampler',
  attributes: ['id', 'rate', 'unitTime'],
  children: ['target', 'messageQueue'],
  // What waits in the queue must not hold its connection.
  needsBody: () => true,
  parse(node, context) {
    const queue = node.child('messageQueue');
    if (queue) {
      queue.required('class');
      queue.warn('the queue is the built-in one; its class has no effect', { attribute: 'class' });
    }
    return {
      id: node.attribute('id'),
      rate: node.integer('rate', 1),
      unitTime: node.integer('unitTime', 1),
      target: readOnlyTarget(node, context),
      queue: queue && cloneNode(queue.element),
    };
  },
  serialize({ id, rate, unitTime, target, queue }) {
    const element = synapseElement('sampler', { id, rate, unitTime });
    if (target) appendChild(element, serializeTarget(target));
    if (queue) appendChild(element, cloneNode(queue));
    return element;
  },
  compile({ rate = 1, unitTime = 1000, target }, context): Compiled {
    const run: Compiled = target ? compileTarget(target, context.at('target')) : () => CONTINUE;
    const release = releasing({ rate, unitTime }, context);
    return (message) => {
      const split = new Split(message);
      const copy = copyForBranch(message);
      split.enter();
      release(() => {
        split.start(copy, run, undefined);
        split.leave();
      });
      message.waits();
      return STOP;
    };
  },
});

type Release = (start: () => void) => void;

/** Starts at most `rate` of what it is given in each unit of time, in the order in which it came. */
function releasing({ rate, unitTime }: { rate: number; unitTime: number }, { services }: CompileContext): Release {
  const { clock } = services;
  const waiting: (() => void)[] = [];
  let left = rate;
  let isTicking = false;
  const tick = (): void => {
    left = rate;
    isTicking = waiting.length > 0;
    if (isTicking) clock.after(unitTime, tick);
    while (left > 0 && waiting.length > 0) {
      left--;
      waiting.shift()?.();
    }
  };
  return (start) => {
    if (!isTicking) {
      isTicking = true;
      clock.after(unitTime, tick);
    }
    if (left > 0) {
      left--;
      start();
    } else {
      waiting.push(start);
    }
  };
}
