import { appendChild, type SourceNode, type XmlElement } from '#xml';
import type { CompileContext, ParseContext } from '../context.ts';
import type { Flow } from '../flow.ts';
import type { Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import { readSequenceName, serializeSteps } from '../sequence.ts';
import { branchTarget, type Branch } from './branch.ts';

/** What runs after a decision: a sequence that an attribute names, or the mediators inside a child element. */
export type Outcome = Branch;

/** Outcomes by the name of their attribute or element, in the order of the file. */
export type Outcomes<Name extends string> = Readonly<Partial<Record<Name, Outcome>>>;

/** Reads attributes such as `onAccept`, and the children of those names for which there is no attribute. */
export function readOutcomes<Name extends string>(
  node: SourceNode,
  names: readonly Name[],
  context: ParseContext,
): Outcomes<Name> {
  const outcomes: Partial<Record<Name, Outcome>> = {};
  for (const name of names) {
    const key = readSequenceName(node, name, context);
    if (key !== undefined) outcomes[name] = { key, steps: [] };
  }
  for (const child of node.children()) {
    const name = names.find((each) => each === child.local);
    if (name === undefined || outcomes[name]) continue;
    child.knowOnly([]);
    outcomes[name] = { key: undefined, steps: context.steps(child) };
  }
  return outcomes;
}

/** Writes outcomes back into the element that they were read from. */
export function serializeOutcomes<Name extends string>(element: XmlElement, outcomes: Outcomes<Name>): XmlElement {
  const entries = Object.entries<Outcome | undefined>(outcomes);
  for (const [name, outcome] of entries) {
    if (outcome?.key === undefined) continue;
    element.attributes.push({ prefix: '', local: name, uri: '', value: outcome.key });
  }
  for (const [name, outcome] of entries) {
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
