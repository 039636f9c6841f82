import { synapseCodes } from '#errors';
import type { Message } from '#message';
import { appendChild } from '#xml';
import { Fault } from '../fault.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { declareNamespaces, readValue, synapseElement, type ValueSource } from '../reading.ts';
import {
  readSplitSettings,
  runSplit,
  splitAttributes,
  splitAttributesOf,
  type SplitRun,
  type SplitSettings,
} from '../shared/split-settings.ts';
import { compileTarget, readTarget, serializeTarget, type Target } from '../shared/target.ts';
import { copyForBranch } from '../split.ts';

interface Definition {
  readonly settings: SplitSettings;
  readonly iterations: ValueSource | undefined;
  readonly targets: readonly Target[];
}

/** `<clone>`: runs a copy of the message through each target (mediators 5.2). */
export const clone = defineMediator<Definition>({
  element: 'clone',
  attributes: [...splitAttributes, 'iterations'],
  children: ['target'],
  // A body that is still on its way cannot be copied.
  needsBody: () => true,
  parse(node, context) {
    const targets = node.childrenNamed('target').map((child) => readTarget(child, context));
    if (targets.length === 0) node.error('<clone> needs at least one <target>', { code: 'MR_ARTIFACT_CHILD' });
    const iterations = readValue(node, 'iterations');
    if (iterations && targets.length > 1) {
      node.error('"iterations" repeats a single <target>', { attribute: 'iterations' });
    }
    if (iterations?.value.literal !== undefined) node.integer('iterations', 1);
    return { settings: readSplitSettings(node), iterations, targets };
  },
  serialize({ settings, iterations, targets }) {
    const attributes = { ...splitAttributesOf(settings), iterations: iterations?.text };
    const element = declareNamespaces(synapseElement('clone', attributes), [iterations]);
    for (const target of targets) appendChild(element, serializeTarget(target));
    return element;
  },
  compile({ settings, iterations, targets }, context): Compiled {
    const runs = targets.map((target, index) => compileTarget(target, context.at(`target:${index}`)));
    const split: SplitRun = { settings, context, onFault: 'handle' };
    if (!iterations) {
      return (message) =>
        runSplit(
          message,
          runs.map((run) => ({ message: () => copyForBranch(message), run })),
          split,
        );
    }
    return (message) => {
      const [run = () => true] = runs;
      const count = countOf(iterations, message);
      const starts = Array.from({ length: count }, (_, index) => ({
        message: () => numberedCopy(message, index + 1),
        run,
      }));
      return runSplit(message, starts, split);
    };
  },
});

function numberedCopy(message: Message, number: number): Message {
  const copy = copyForBranch(message);
  copy.properties.set('CLONED_ITERATION_INDEX', number);
  return copy;
}

function countOf(iterations: ValueSource, message: Message): number {
  const text = iterations.value.evaluate(message) ?? '';
  if (/^\s*\d+\s*$/.test(text)) return Number(text);
  throw new Fault({
    code: synapseCodes.mediation,
    message: `"iterations" of <clone> must be a whole number, found "${text}"`,
  });
}
