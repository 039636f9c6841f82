import { parseJavaDouble, parseJavaLong } from '#core/java';
import { MillraceError, synapseCodes } from '#errors';
import { JsonNumber, parseJson, type JsonValue } from '#json';
import { parseXml, XmlElement } from '#xml';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import {
  declareNamespaces,
  readExpression,
  readValue,
  synapseElement,
  type ExpressionSource,
  type ValueSource,
} from '../reading.ts';
import { textOfValue } from '../shared/typed-value.ts';

/** `OM` is what some artifacts write for `XML`. */
const types = ['STRING', 'BOOLEAN', 'INTEGER', 'LONG', 'DOUBLE', 'JSON', 'XML', 'OM'] as const;
type VariableType = (typeof types)[number];

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
    return {
      name: readValue(node, 'name'),
      type: node.attribute('type') === undefined ? undefined : node.choice('type', types, 'STRING'),
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
      message.variables.set(name?.value.evaluate(message) ?? '', type ? convert(raw, type) : raw);
      return CONTINUE;
    };
  },
});

/** The conversions of each type; undefined says that the value does not fit. */
const conversions: Readonly<Record<VariableType, (raw: unknown) => unknown>> = {
  STRING: textOfValue,
  BOOLEAN: (raw) => (/^(?:true|false)$/i.test(textOfValue(raw)) ? /^true$/i.test(textOfValue(raw)) : undefined),
  INTEGER: wholeNumber,
  LONG: wholeNumber,
  DOUBLE: (raw) => parseJavaDouble(textOfValue(raw)),
  JSON: jsonOf,
  XML: elementOf,
  OM: elementOf,
};

function convert(raw: unknown, type: VariableType): unknown {
  if (raw === undefined || raw === null) return raw;
  const converted = conversions[type](raw);
  if (converted !== undefined) return converted;
  throw new MillraceError({
    code: synapseCodes.mediation,
    message: `Expression result does not match the expected data type '${type}': found ${describe(raw)}`,
  });
}

function describe(raw: unknown): string {
  const kind = raw instanceof JsonNumber ? 'number' : raw instanceof XmlElement ? 'XML' : typeof raw;
  return `${kind} '${textOfValue(raw).slice(0, 80)}'`;
}

function wholeNumber(raw: unknown): number | undefined {
  const value = parseJavaLong(textOfValue(raw));
  return value === undefined ? undefined : Number(value);
}

function jsonOf(raw: unknown): JsonValue | undefined {
  if (typeof raw !== 'string') return raw as JsonValue;
  try {
    return parseJson(raw);
  } catch {
    return undefined;
  }
}

function elementOf(raw: unknown): XmlElement | undefined {
  if (raw instanceof XmlElement) return raw;
  try {
    return parseXml(textOfValue(raw)).root;
  } catch {
    return undefined;
  }
}
