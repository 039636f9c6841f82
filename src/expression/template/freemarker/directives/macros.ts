import { Macro, type Parameter } from '../macro.ts';
import { runAll, type Element } from '../element.ts';
import { TemplateFailure } from '../errors.ts';
import type { Cursor } from '../cursor.ts';
import type { Expression } from '../expression.ts';
import type { Tag, TemplateReader } from '../reader.ts';

/** `<#macro name a b=1 rest...>` and `<#function name(a, b=1)>`. */
export function readMacro(reader: TemplateReader, tag: Tag): Element {
  const cursor: Cursor = reader.cursor;
  const isFunction = tag.name === 'function';
  if (reader.surroundings.inside) cursor.fail('Macros and functions cannot stand within each other', tag.start);
  const quoted = cursor.blanks().match(/"([^"\\]+)"|'([^'\\]+)'/y);
  const name = quoted ? (quoted[1] ?? quoted[2]) : cursor.identifier();
  if (name === undefined) cursor.failExpected(`the name of a ${tag.name}`);
  const { parameters, catchAll } = readParameters(reader);
  reader.closeTag();
  const children = reader.within(
    {
      inside: isFunction ? 'function' : 'macro',
      isBreakable: false,
      isLoop: false,
      items: undefined,
      loopNames: new Set<string>(),
    },
    () => reader.content(),
  );
  reader.end(tag, isFunction ? 'function' : 'macro');
  const run: Element['run'] = (environment) => runAll(children, environment);
  const macro = new Macro({ name, isFunction, parameters, catchAll, run });
  reader.macros.push(macro);
  return reader.element(tag.start, {
    kind: 'macro',
    children,
    // Definitions count from the start of the template; where they stand they replace an assignment of the name.
    run(environment) {
      environment.variables.set(name, macro);
      return undefined;
    },
  });
}

function readParameters(reader: TemplateReader): { parameters: readonly Parameter[]; catchAll: string | undefined } {
  const cursor: Cursor = reader.cursor;
  const parameters: Parameter[] = [];
  let catchAll: string | undefined;
  const isBracketed = cursor.blanks().take('(');
  if (isBracketed) cursor.nesting++;
  for (;;) {
    cursor.blanks().match(/,/y);
    const start = cursor.blanks().at;
    const name = cursor.identifier();
    if (name === undefined) break;
    if (catchAll !== undefined) cursor.fail('The parameter that takes the rest must be the last', start);
    if (parameters.some((parameter) => parameter.name === name))
      cursor.fail(`The parameter "${name}" is there twice`, start);
    if (cursor.blanks().take('...')) catchAll = name;
    else {
      const fallback = cursor.match(/=(?!=)/y) ? reader.expression() : undefined;
      const hasEarlierDefault = parameters.some((parameter) => parameter.fallback);
      if (!fallback && hasEarlierDefault)
        cursor.fail('A parameter without a default stands after one with a default', start);
      parameters.push({ name, fallback });
    }
  }
  if (isBracketed) {
    cursor.expect(')');
    cursor.nesting--;
  }
  return { parameters, catchAll };
}

/** `<#return>` and, in functions, `<#return value>`. */
export function readReturn(reader: TemplateReader, { start }: Tag): Element {
  const cursor: Cursor = reader.cursor;
  const { inside } = reader.surroundings;
  if (!inside) cursor.fail('<#return> is not within a macro or function', start);
  const hasValue = !/[>\]/]/.test(cursor.blanks().text.charAt(cursor.at));
  if (hasValue && inside === 'macro') cursor.fail('A macro returns no value', start);
  if (!hasValue && inside === 'function') cursor.fail('A function must return a value', start);
  const value = hasValue ? reader.expression() : undefined;
  reader.closeTag();
  return reader.element(start, {
    run(environment) {
      environment.returned = value?.evaluate(environment);
      return 'return';
    },
  });
}

/** `<#nested>` and `<#nested a, b>`: the block between the tags of the call. */
export function readNested(reader: TemplateReader, { start }: Tag): Element {
  const cursor: Cursor = reader.cursor;
  if (reader.surroundings.inside !== 'macro') cursor.fail('<#nested> is not within a macro', start);
  const values: Expression[] = [];
  while (!/[>\]]/.test(cursor.blanks().text.charAt(cursor.at)) && !cursor.peek(`/${reader.closing}`) && !cursor.ended) {
    cursor.take(',');
    values.push(reader.expression());
  }
  reader.closeTag();
  const blamed = { ...cursor.place(start), source: '<#nested>' };
  return reader.element(start, {
    run(environment) {
      if (!environment.call) throw new TemplateFailure('other', '<#nested> is outside of its macro', blamed);
      environment.step(blamed);
      return environment.call.nested?.(values.map((value) => value.evaluate(environment)));
    },
  });
}
