import { expression } from './operators.ts';
import { DateValue, LazyHash, type Value } from './values.ts';
import { nearestName } from '#errors';
import { snakeCase } from './names.ts';
import type { Cursor } from './cursor.ts';
import type { Environment } from './environment.ts';
import type { Expression } from './expression.ts';
import type { ReadContext } from './read-expression.ts';

const variables: Readonly<Record<string, (environment: Environment) => Value>> = {
  now: ({ now }) => new DateValue(now, 'datetime'),
  data_model: ({ root }) => root,
  globals: (environment) =>
    new LazyHash(
      (name) => environment.global(name),
      () => new Set([...environment.globals.keys(), ...environment.root.keys()]),
    ),
  locals: ({ call }) => call?.locals.variables,
  main: ({ variables }) => variables,
  namespace: ({ variables }) => variables,
  vars: (environment) =>
    new LazyHash(
      (name) => environment.lookup(name),
      () => [],
    ),
  error: ({ error }) => error,
  locale: ({ settings }) => settings.locale,
  lang: ({ settings }) => settings.locale.split('_')[0],
  time_zone: ({ settings }) => settings.time_zone,
  url_escaping_charset: ({ settings }) => settings.url_escaping_charset,
  output_encoding: ({ settings }) => settings.output_encoding,
};

/** Reads `.name` after its dot. */
export function specialVariable(cursor: Cursor, context: ReadContext, start: number): Expression {
  const nameStart = cursor.at;
  const written = cursor.identifier();
  const name = written === undefined ? undefined : snakeCase(written);
  if (name === undefined) cursor.failExpected('the name of a special variable');
  const known = Object.hasOwn(variables, name) ? variables[name] : compileTime(name, context);
  if (!known) {
    const near = nearestName(name, Object.keys(variables));
    cursor.fail(
      `There is no special variable ".${name}"${near === undefined ? '' : `; did you mean ".${near}"?`}`,
      nameStart,
    );
  }
  return expression(cursor.blamed(start), known);
}

function compileTime(name: string, { output }: ReadContext): (() => Value) | undefined {
  if (name === 'output_format') return () => output.format.name;
  if (name === 'auto_esc') return () => output.isEscaping && output.format.escape !== undefined;
  return undefined;
}
