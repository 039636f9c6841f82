import { setProperty, type Message, type WritableScope } from '#message';
import { appendChild, type SourceNode, type XmlElement } from '#xml';
import { declareNamespaces, readExpression, synapseElement, type ExpressionSource, warnOfOthers } from '../reading.ts';

const scopes = ['default', 'axis2', 'axis2-client', 'transport'] as const;

/** A nested `<property>`: a name with a literal or an expression (mediators 1.4). */
export interface NamedValue {
  readonly name: string;
  readonly value: string | undefined;
  readonly expression: ExpressionSource | undefined;
  readonly scope: (typeof scopes)[number];
}

/** Reads the `<property>` children of an element. */
export function readNamedValues(node: SourceNode): readonly NamedValue[] {
  return node.childrenNamed('property').map((child) => {
    const expression = readExpression(child, 'expression');
    const value = child.attribute('value');
    if (value === undefined && child.attribute('expression') === undefined) {
      child.error('<property> needs either "value" or "expression"', { code: 'MR_ARTIFACT_ATTRIBUTE' });
    }
    warnOfOthers(child, ['value', 'expression']);
    return { name: child.required('name'), value, expression, scope: child.choice('scope', scopes, 'default') };
  });
}

/** Writes nested properties back into `element`. */
export function serializeNamedValues(element: XmlElement, values: readonly NamedValue[]): XmlElement {
  for (const { name, value, expression, scope } of values) {
    const attributes = { name, value, expression: expression?.text, scope: scope === 'default' ? undefined : scope };
    appendChild(element, declareNamespaces(synapseElement('property', attributes), [expression]));
  }
  return element;
}

/** Sets the properties on a message, expressions evaluated now. */
export function applyNamedValues(message: Message, values: readonly NamedValue[]): void {
  for (const { name, value, expression, scope } of values) {
    const target: { scope: WritableScope; name: string } = { scope, name };
    setProperty(message, target, value ?? expression?.expression.evaluateString(message) ?? null);
  }
}
