import type { Message } from '#message';
import { appendChild, type SourceNode, type XmlElement } from '#xml';
import { declareNamespaces, readExpression, synapseElement, type ExpressionSource, warnOfOthers } from '../reading.ts';
import { convertVariable, variableTypes, type VariableType } from './variable-type.ts';

/** An `<argument>` of `<inputs>`: what user code gets besides the message (mediators 4.8, 8). */
export interface Argument {
  readonly name: string | undefined;
  readonly type: VariableType | undefined;
  readonly value: string | undefined;
  readonly expression: ExpressionSource | undefined;
}

/** Reads the `<inputs>` of an element; undefined when it has none. */
export function readArguments(node: SourceNode): readonly Argument[] | undefined {
  return node
    .child('inputs')
    ?.childrenNamed('argument')
    .map((child) => {
      child.knowOnly(['name', 'type', 'value', 'expression']);
      const value = child.rawAttribute('value');
      const expression = readExpression(child, 'expression');
      if (value === undefined && child.attribute('expression') === undefined) {
        child.error('<argument> needs either "value" or "expression"', { code: 'MR_ARTIFACT_ATTRIBUTE' });
      }
      warnOfOthers(child, ['value', 'expression']);
      return {
        name: child.attribute('name'),
        type: child.attribute('type') === undefined ? undefined : child.choice('type', variableTypes, 'STRING'),
        value,
        expression,
      };
    });
}

/** Writes `<inputs>` back into `element`. */
export function serializeArguments(element: XmlElement, all: readonly Argument[] | undefined): void {
  if (!all) return;
  const inputs = synapseElement('inputs');
  for (const { name, type, value, expression } of all) {
    const attributes = { name, type, value, expression: expression?.text };
    appendChild(inputs, declareNamespaces(synapseElement('argument', attributes), [expression]));
  }
  appendChild(element, inputs);
}

/** The arguments for a message, converted to their types. @throws MillraceError for one that does not fit */
export function evaluateArguments(all: readonly Argument[] | undefined, message: Message): unknown[] {
  return (all ?? []).map(({ type, value, expression }) =>
    convertVariable(value ?? expression?.expression.evaluateValue(message), type ?? 'STRING'),
  );
}
