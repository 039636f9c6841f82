import { appendChild, type SourceNode, type XmlElement } from '#xml';
import type { CompileContext, ParseContext } from '../context.ts';
import type { Flow } from '../flow.ts';
import type { Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import { readSequenceName, serializeSteps } from '../sequence.ts';
import { branchTarget, type Branch } from './branch.ts';

/** What runs after a decision: a sequence that an attribute names, or the mediators inside a child element. */
export type Outcome = Branch;

/** Reads an attribute such as `onAccept`, or else the child of that name; undefined when there is neither. */
export function readOutcome(node: SourceNode, name: string, context: ParseContext): Outcome | undefined {
  const key = readSequenceName(node, name, context);
  if (key !== undefined) return { key, steps: [] };
  const child = node.child(name);
  if (!child) return undefined;
  child.knowOnly([]);
  return { key: undefined, steps: context.steps(child) };
}

/** Writes outcomes back into the element that they were read from. */
export function serializeOutcomes(
  element: XmlElement,
  outcomes: Readonly<Record<string, Outcome | undefined>>,
): XmlElement {
  for (const [name, outcome] of Object.entries(outcomes)) {
    if (outcome?.key === undefined) continue;
    element.attributes.push({ prefix: '', local: name, uri: '', value: outcome.key });
  }
  for (const [name, outcome] of Object.entries(outcomes)) {
    if (outcome && outcome.key === undefined) {
      appendChild(element, serializeSteps(synapseElement(name), outcome.steps));
    }
  }
  return element;
}

/** Compiles an outcome; without one the flow is `otherwise`. */
export function compileOutcome(outcome: Outcome | undefined, context: CompileContext, otherwise: Flow): Compiled {
  return outcome ? branchTarget(outcome, context) : () => otherwise;
}
