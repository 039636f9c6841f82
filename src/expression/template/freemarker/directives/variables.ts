import { calculate, join, type Operands } from '../operators.ts';
import { missing, required } from '../convert.ts';
import { decimalOf, Exact } from '../numbers.ts';
import { Markup } from '../output-format.ts';
import { isMissing, isNumeric, type Value } from '../values.ts';
import { runAll, type Element } from '../element.ts';
import type { Cursor } from '../cursor.ts';
import type { Environment } from '../environment.ts';
import type { Blamed } from '../errors.ts';
import type { Expression } from '../expression.ts';
import type { Tag, TemplateReader } from '../reader.ts';

type Variables = (environment: Environment) => Map<string, Value>;

/** Where each of the directives puts its variables. */
const places: Readonly<Record<string, Variables>> = {
  assign: ({ variables }) => variables,
  global: ({ globals }) => globals,
  local: ({ call, variables }) => call?.locals.variables ?? variables,
};

interface Assignment {
  readonly name: string;
  readonly operator: string;
  readonly value: Expression | undefined;
  readonly blamed: Blamed;
}

/** `<#assign>`, `<#global>` and `<#local>`: with values, or with the block up to the closing tag. */
export function readAssignment(reader: TemplateReader, tag: Tag): Element {
  const cursor: Cursor = reader.cursor;
  const place = places[tag.name];
  if (!place) cursor.fail(`<#${tag.name}> is no assignment`, tag.start);
  if (tag.name === 'local' && !reader.surroundings.inside)
    cursor.fail('<#local> is not within a macro or function', tag.start);
  const name = readName(reader);
  if (cursor.blanks().peek(reader.closing)) return readCapture(reader, tag, { name, place });
  const assignments: Assignment[] = [readValue(reader, name)];
  while (!/[>\]/]/.test(cursor.blanks().text.charAt(cursor.at)) && !cursor.ended) {
    cursor.take(',');
    assignments.push(readValue(reader, readName(reader)));
  }
  reader.closeTag();
  return reader.element(tag.start, {
    kind: 'silent',
    run(environment) {
      for (const assignment of assignments) assign(environment, place(environment), assignment);
      return undefined;
    },
  });
}

function readName(reader: TemplateReader): string {
  const cursor: Cursor = reader.cursor;
  const quoted = cursor.blanks().match(/"([^"\\]*)"|'([^'\\]*)'/y);
  const name = quoted ? (quoted[1] ?? quoted[2]) : cursor.identifier();
  if (name === undefined) cursor.failExpected('the name of a variable');
  if (cursor.blanks().match(/in(?=\s)/y)) cursor.fail('Variables of other namespaces cannot be set');
  return name;
}

function readValue(reader: TemplateReader, name: string): Assignment {
  const cursor: Cursor = reader.cursor;
  const start = cursor.blanks().at;
  const operator = cursor.match(/=(?!=)|[-+*/%]=|\+\+|--/y)?.[0];
  if (operator === undefined) cursor.failExpected('"="');
  const value = operator === '++' || operator === '--' ? undefined : reader.expression();
  return { name, operator, value, blamed: { ...cursor.place(start), source: name } };
}

function assign(
  environment: Environment,
  variables: Map<string, Value>,
  { name, operator, value, blamed }: Assignment,
): void {
  if (operator === '=' && value) {
    variables.set(name, required(environment, value));
    return;
  }
  const first = variables.get(name);
  if (isMissing(first)) throw missing(blamed);
  const second: Value = value ? required(environment, value) : new Exact(1);
  const operands: Operands = { first, second, left: blamed, right: value ?? blamed };
  const sign = operator.charAt(0);
  if (sign === '+' && !(isNumeric(first) && isNumeric(second))) {
    variables.set(name, operator === '++' ? calculate('+', operands, blamed) : join(environment, operands, blamed));
  } else if (sign === '+' || sign === '-' || sign === '*' || sign === '/' || sign === '%') {
    variables.set(name, decimalOf(calculate(sign, operands, blamed)));
  }
}

function readCapture(reader: TemplateReader, tag: Tag, { name, place }: { name: string; place: Variables }): Element {
  reader.closeTag();
  const { output } = reader.surroundings;
  const children = reader.content();
  reader.end(tag);
  return reader.element(tag.start, {
    kind: 'capture',
    children,
    run(environment) {
      const { text, signal } = environment.capture(() => runAll(children, environment));
      place(environment).set(name, output.format.escape ? new Markup(output.format, text) : text);
      return signal;
    },
  });
}
