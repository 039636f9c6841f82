import { synapseCodes, type Position } from '#errors';
import { appendChild, type SourceNode, type XmlElement } from '#xml';
import { libraryOf, type CompileContext, type ParseContext, type StepOrComment } from '../context.ts';
import { Fault } from '../fault.ts';
import type { Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import { compileSteps, readSequenceName, serializeSteps } from '../sequence.ts';

/** A branch: inline mediators, or a named sequence. */
export interface Branch {
  readonly key: string | undefined;
  readonly steps: readonly StepOrComment[];
}

/** Reads `<then>`, `<else>` and their like: the attribute `sequence` names a sequence, otherwise children count. */
export function readBranch(node: SourceNode, context: ParseContext): Branch {
  const key = readSequenceName(node, 'sequence', context);
  return { key, steps: key === undefined ? context.steps(node) : [] };
}

/** Writes branches back: as named child elements, or directly into `element`. */
export function serializeBranch(
  element: XmlElement,
  name: string | undefined,
  branch: Branch,
  ...others: readonly (readonly [string, Branch] | undefined)[]
): XmlElement {
  if (name === undefined) return serializeSteps(element, branch.steps);
  for (const [local, each] of [[name, branch] as const, ...others.filter((other) => other !== undefined)]) {
    appendChild(element, serializeSteps(synapseElement(local, { sequence: each.key }), each.steps));
  }
  return element;
}

/** Compiles a branch. A named sequence is looked up when it is first needed; its absence fails the message. */
export function branchTarget(branch: Branch, context: CompileContext): Compiled {
  return branch.key === undefined ? compileSteps(branch.steps, context) : sequenceReference(branch.key, context);
}

/** Runs the sequence `key`, which may be deployed later than what refers to it. */
export function sequenceReference(key: string, context: CompileContext, position?: Position): Compiled {
  return (message) => {
    const found = libraryOf(message).sequence(key);
    if (!found) {
      const facts = { code: synapseCodes.mediation, message: `Sequence named ${key} cannot be found` };
      throw position ? new Fault(facts, { mediator: context.id, position }) : new Fault(facts);
    }
    return found(message);
  };
}
