import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import {
  declareNamespaces,
  readExpression,
  readValue,
  synapseElement,
  type ExpressionSource,
  type ValueSource,
  warnOfOthers,
} from '../reading.ts';
import { convertVariable, variableTypes, type VariableType } from '../shared/variable-type.ts';

interface Definition {
  readonly name: ValueSource | undefined;
  readonly type: VariableType | undefined;
  readonly value: string | undefined;
  readonly expression: ExpressionSource | undefined;
  readonly action: 'set' | 'remove';
}

/** `<variable>`: a named value of the flow, read back as `${vars.name}` (mediators 2.3). */
export const variable = defineMediator<Definition>({
  element: 'variable',
  attributes: ['name', 'type', 'value', 'expression', 'action'],
  children: [],
  needsBody: ({ expression }) => expression?.expression.contentAware === true,
  parse(node) {
    node.required('name');
    const action = node.choice('action', ['set', 'remove'], 'set');
    const value = node.rawAttribute('value');
    if (action === 'set' && value === undefined && node.attribute('expression') === undefined) {
      node.error('<variable> needs either "value" or "expression"', { code: 'MR_ARTIFACT_ATTRIBUTE' });
    }
    if (action === 'set') warnOfOthers(node, ['expression', 'value']);
    return {
      name: readValue(node, 'name'),
      type: node.attribute('type') === undefined ? undefined : node.choice('type', variableTypes, 'STRING'),
      value,
      expression: readExpression(node, 'expression'),
      action,
    };
  },
  serialize: ({ name, type, value, expression, action }) =>
    declareNamespaces(
      synapseElement('variable', {
        name: name?.text,
        type,
        value,
        expression: expression?.text,
        action: action === 'set' ? undefined : action,
      }),
      [name, expression],
    ),
  compile({ name, type, value, expression, action }): Compiled {
    if (action === 'remove') {
      return (message) => {
        message.variables.delete(name?.value.evaluate(message) ?? '');
        return CONTINUE;
      };
    }
    return (message) => {
      const raw = expression ? expression.expression.evaluateValue(message) : value;
      message.variables.set(name?.value.evaluate(message) ?? '', type ? convertVariable(raw, type) : raw);
      return CONTINUE;
    };
  },
});
