import { countPlaceholders, type SqlRow, type SqlValue } from '#db';
import type { Message } from '#message';
import { appendChild, type SourceNode, type XmlElement } from '#xml';
import {
  declareNamespaces,
  readExpression,
  synapseElement,
  textElement,
  type ExpressionSource,
  warnOfOthers,
} from '../../reading.ts';
import { textOfValue } from '../typed-value.ts';
import { boundValue, sqlTypes, type SqlType } from './bound-value.ts';

interface StatementParameter {
  readonly value: string | undefined;
  readonly expression: ExpressionSource | undefined;
  readonly type: SqlType;
}

/** A column of the first row and the property that takes it. */
export interface ResultColumn {
  readonly name: string;
  /** Name, or number from 1. */
  readonly column: string;
}

/** A `<statement>` of a database mediator. */
export interface StatementDefinition {
  readonly sql: string;
  readonly parameters: readonly StatementParameter[];
  readonly results: readonly ResultColumn[];
}

export function readStatements(node: SourceNode): readonly StatementDefinition[] {
  const statements = node.childrenNamed('statement');
  if (statements.length === 0) node.error(`<${node.local}> needs a <statement>`, { code: 'MR_DB_SQL' });
  return statements.map(readStatement);
}

function readStatement(node: SourceNode): StatementDefinition {
  node.knowOnlyChildren(['sql', 'parameter', 'result']);
  const sql = node.child('sql')?.text() ?? '';
  if (sql === '') node.error('<statement> needs an <sql>', { code: 'MR_DB_SQL' });
  const parameters = node.childrenNamed('parameter').map(readParameter);
  const wanted = countPlaceholders(sql);
  if (wanted !== parameters.length) {
    const message = `the statement has ${wanted} placeholders and ${parameters.length} parameters`;
    node.error(message, { code: 'MR_DB_SQL' });
  }
  const results = node.childrenNamed('result').map((child) => {
    child.knowOnly(['name', 'column']);
    return { name: child.required('name'), column: child.required('column') };
  });
  return { sql, parameters, results };
}

function readParameter(node: SourceNode): StatementParameter {
  node.knowOnly(['value', 'expression', 'type']);
  // An empty value is one: it binds NULL.
  const value = node.rawAttribute('value');
  if (value === undefined && node.attribute('expression') === undefined) {
    node.error('<parameter> needs either "value" or "expression"', { code: 'MR_DB_SQL' });
  }
  warnOfOthers(node, ['value', 'expression']);
  return { value, expression: readExpression(node, 'expression'), type: node.choice('type', sqlTypes, 'VARCHAR') };
}

export function appendStatements(element: XmlElement, statements: readonly StatementDefinition[]): XmlElement {
  for (const { sql, parameters, results } of statements) {
    const child = synapseElement('statement', {}, [textElement('sql', sql)]);
    for (const { value, expression, type } of parameters) {
      const parameter = synapseElement('parameter', { value, expression: expression?.text, type });
      appendChild(child, declareNamespaces(parameter, [expression]));
    }
    for (const { name, column } of results) appendChild(child, synapseElement('result', { name, column }));
    appendChild(element, child);
  }
  return element;
}

/** True when binding the parameters reads the payload. */
export function statementsNeedBody(statements: readonly StatementDefinition[]): boolean {
  return statements.some(({ parameters }) =>
    parameters.some(({ expression }) => expression?.expression.contentAware === true),
  );
}

/** The values of a statement for one message. @throws MillraceError for one that is not of its type */
export function boundValues({ parameters }: StatementDefinition, message: Message): SqlValue[] {
  return parameters.map(({ value, expression, type }) =>
    boundValue(value ?? expression?.expression.evaluateString(message), type),
  );
}

/** Puts the columns of a row into properties; columns that are NULL leave theirs as they are. */
export function takeResults(message: Message, results: readonly ResultColumn[], row: SqlRow): readonly string[] {
  const columns = Object.entries(row);
  const missing: string[] = [];
  for (const { name, column } of results) {
    const found = /^\d+$/.test(column)
      ? columns[Number(column) - 1]
      : columns.find(([label]) => label.toLowerCase() === column.toLowerCase());
    if (!found) missing.push(column);
    else if (found[1] !== null && found[1] !== undefined) message.properties.set(name, textOfColumn(found[1]));
  }
  return missing;
}

function textOfColumn(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : textOfValue(value);
}
