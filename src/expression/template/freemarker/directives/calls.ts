import { callMacro, Macro, type Arguments } from '../macro.ts';
import { required, wrongType } from '../convert.ts';
import { runAll, type Element } from '../element.ts';
import type { Cursor } from '../cursor.ts';
import type { Call, Environment } from '../environment.ts';
import type { Expression } from '../expression.ts';
import type { TemplateReader } from '../reader.ts';
import type { Value } from '../values.ts';

interface WrittenArguments {
  readonly positional: readonly Expression[];
  readonly named: readonly (readonly [string, Expression])[];
}

/** `<@name …/>` and `<@name …; a, b>…</@name>`. */
export function readCallTag(reader: TemplateReader): Element {
  const cursor: Cursor = reader.cursor;
  const start = cursor.at;
  cursor.at += 2;
  cursor.closer = reader.closing;
  cursor.nesting = 0;
  const callee = reader.expression();
  const args = readArguments(reader);
  const loopNames = cursor.blanks().take(';') ? readNames(reader) : [];
  const isEmpty = reader.closeTag();
  const blamed = { ...cursor.place(start), source: `<@${callee.source}>` };
  const children = isEmpty ? [] : reader.content();
  if (!isEmpty) readEnd(reader, callee, start);
  return reader.block(start, children, (environment) => {
    const macro = required(environment, callee);
    if (!(macro instanceof Macro) || macro.isFunction) throw wrongType('a macro', macro, callee);
    const nested = isEmpty ? undefined : nestedBlock(environment, children, loopNames);
    return callMacro(environment, macro, { args: evaluate(environment, args, nested), blamed });
  });
}

function readArguments(reader: TemplateReader): WrittenArguments {
  const cursor: Cursor = reader.cursor;
  const positional: Expression[] = [];
  const named: (readonly [string, Expression])[] = [];
  for (;;) {
    cursor.blanks().match(/,/y);
    if (cursor.blanks().ended || /[>\];]/.test(cursor.text.charAt(cursor.at)) || cursor.peek(`/${reader.closing}`))
      break;
    const before = cursor.at;
    const name = cursor.identifier();
    if (name !== undefined && cursor.blanks().match(/=(?!=)/y)) {
      if (positional.length > 0) cursor.fail('Arguments are given by name or by position, not both', before);
      named.push([name, reader.expression()]);
      continue;
    }
    cursor.at = before;
    if (named.length > 0) cursor.failExpected('the name of an argument and "="');
    positional.push(reader.expression());
  }
  return { positional, named };
}

function readNames(reader: TemplateReader): readonly string[] {
  const cursor: Cursor = reader.cursor;
  const names: string[] = [];
  for (;;) {
    const name = cursor.blanks().identifier();
    if (name === undefined) cursor.failExpected('the name of a variable');
    names.push(name);
    if (!cursor.blanks().take(',')) return names;
  }
}

function readEnd(reader: TemplateReader, callee: Expression, start: number): void {
  const cursor: Cursor = reader.cursor;
  if (!reader.isAtCallEnd) {
    if (cursor.ended) cursor.fail(`<@${callee.source}> is not closed`, start);
    cursor.fail(`Expected </@${callee.source}>`);
  }
  const before = cursor.at;
  cursor.at += 3;
  const [name = ''] = cursor.match(/[^>\]\s]*/y) ?? [];
  if (name !== '' && name !== callee.source) cursor.fail(`Expected </@${callee.source}> but found </@${name}>`, before);
  reader.closeTag();
}

function evaluate(environment: Environment, args: WrittenArguments, nested: Call['nested']): Arguments {
  if (args.named.length === 0) {
    return { positional: args.positional.map((argument) => argument.evaluate(environment)), nested };
  }
  return { named: new Map(args.named.map(([name, value]) => [name, value.evaluate(environment)])), nested };
}

/** The block of a call runs with the variables of the place where it is written. */
function nestedBlock(environment: Environment, children: readonly Element[], names: readonly string[]): Call['nested'] {
  const { frame, call } = environment;
  return (values) => {
    const inner = { frame: environment.frame, call: environment.call };
    const variables = new Map<string, Value>(names.map((name, index) => [name, values[index]]));
    environment.frame = { variables, outer: frame };
    environment.call = call;
    try {
      return runAll(children, environment);
    } finally {
      environment.frame = inner.frame;
      environment.call = inner.call;
    }
  };
}
