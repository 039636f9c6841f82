import { TemplateFailure, type Blamed } from './errors.ts';
import { missing, wrongType } from './convert.ts';
import { Callable, type Value } from './values.ts';
import type { Call, Environment, Frame, Signal } from './environment.ts';
import type { Expression } from './expression.ts';

/** A parameter of a macro; one without a default must be given. */
export interface Parameter {
  readonly name: string;
  readonly fallback: Expression | undefined;
}

export interface MacroFacts {
  readonly name: string;
  readonly isFunction: boolean;
  readonly parameters: readonly Parameter[];
  /** The parameter that takes all other arguments. */
  readonly catchAll: string | undefined;
  readonly run: (environment: Environment) => Signal;
}

/** A macro or function of the template. */
export class Macro extends Callable {
  readonly facts: MacroFacts;

  constructor(facts: MacroFacts) {
    super(facts.name, facts.isFunction);
    this.facts = facts;
  }
}

/** What a macro is called with: values by position or by name, and the block between its tags. */
export interface Arguments {
  readonly positional?: readonly Value[];
  readonly named?: ReadonlyMap<string, Value>;
  readonly nested?: Call['nested'];
}

/** Calls a macro. @throws TemplateFailure for arguments that do not fit */
export function callMacro(environment: Environment, macro: Macro, call: { args: Arguments; blamed: Blamed }): Signal {
  const { args, blamed } = call;
  return environment.deeper(blamed, () => {
    const locals: Frame = { variables: new Map(), outer: null };
    bind(macro, locals, call);
    const outer = { frame: environment.frame, call: environment.call };
    environment.frame = locals;
    environment.call = { locals, nested: args.nested, outer: outer.call };
    environment.returned = undefined;
    try {
      fillDefaults(environment, macro, { locals, blamed });
      const signal = macro.facts.run(environment);
      return signal === 'return' ? undefined : signal;
    } finally {
      environment.frame = outer.frame;
      environment.call = outer.call;
    }
  });
}

/** Calls a function with values and gives what it returns. */
export function callFunction(
  environment: Environment,
  call: { callee: Value; values: readonly Value[]; operand: Blamed },
  blamed: Blamed,
): Value {
  const { callee, values, operand } = call;
  if (!(callee instanceof Macro) || !callee.isFunction) throw wrongType('a function', callee, operand);
  environment.capture(() => {
    callMacro(environment, callee, { args: { positional: values }, blamed });
    return undefined;
  });
  const { returned } = environment;
  environment.returned = undefined;
  return returned;
}

function bind(macro: Macro, locals: Frame, { args, blamed }: { args: Arguments; blamed: Blamed }): void {
  const { parameters, catchAll, name } = macro.facts;
  const fail = (reason: string): never => {
    throw new TemplateFailure('other', `${macro.isFunction ? 'Function' : 'Macro'} "${name}" ${reason}`, blamed);
  };
  const rest: Value[] = [];
  for (const [index, value] of (args.positional ?? []).entries()) {
    const parameter = parameters[index];
    if (parameter) locals.variables.set(parameter.name, value);
    else if (catchAll === undefined) fail(`takes ${parameters.length} arguments, not ${args.positional?.length ?? 0}`);
    else rest.push(value);
  }
  const others = new Map<string, Value>();
  for (const [key, value] of args.named ?? []) {
    if (parameters.some((parameter) => parameter.name === key)) locals.variables.set(key, value);
    else if (catchAll === undefined) fail(`has no parameter "${key}"`);
    else others.set(key, value);
  }
  if (catchAll !== undefined) locals.variables.set(catchAll, args.named ? others : rest);
}

/** Defaults may use parameters that have a value, whatever their order. */
function fillDefaults(
  environment: Environment,
  macro: Macro,
  { locals, blamed }: { locals: Frame; blamed: Blamed },
): void {
  let open = macro.facts.parameters.filter(({ name }) => isUnset(locals, name));
  let failure: TemplateFailure | undefined;
  for (let count = open.length + 1; open.length > 0 && open.length < count;) {
    count = open.length;
    failure = undefined;
    const still: Parameter[] = [];
    for (const parameter of open) {
      if (!parameter.fallback) {
        const reason = `needs the parameter "${parameter.name}"`;
        throw new TemplateFailure(
          'other',
          `${macro.isFunction ? 'Function' : 'Macro'} "${macro.name}" ${reason}`,
          blamed,
        );
      }
      try {
        const value = parameter.fallback.evaluate(environment);
        if (value === undefined || value === null) throw missing(parameter.fallback);
        locals.variables.set(parameter.name, value);
      } catch (error) {
        if (!(error instanceof TemplateFailure) || error.kind !== 'missing') throw error;
        failure = error;
        still.push(parameter);
      }
    }
    open = still;
  }
  if (failure) throw failure;
}

function isUnset(locals: Frame, name: string): boolean {
  const value = locals.variables.get(name);
  return value === undefined || value === null;
}
