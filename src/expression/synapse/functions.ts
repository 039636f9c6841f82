import { EvaluationError } from '../error.ts';
import { formatMillis, reformatDate } from '../dates.ts';
import type { Scope } from '../scope.ts';
import { numberFunctions } from './number-functions.ts';
import { textFunctions } from './text-functions.ts';
import { valueFunctions } from './value-functions.ts';
import { expectNumber, expectString, type SynapseValue } from './values.ts';

/** A function: how many arguments it takes and what it makes of them; it never sees a null argument. */
export interface SynapseFunction {
  readonly arity: readonly [least: number, most: number];
  readonly call: (args: readonly SynapseValue[], scope: Scope) => SynapseValue;
}

/** All functions that get their arguments as values (runtime-core 8.6); `exists`, `xpath`, `registry` are grammar. */
export const functions: ReadonlyMap<string, SynapseFunction> = new Map([
  ...textFunctions,
  ...numberFunctions,
  ...valueFunctions,
  ['now', { arity: [0, 0], call: (_args, scope) => ({ kind: 'long', value: BigInt(scope.now()) }) }],
  ['formatDateTime', { arity: [2, 3], call: formatted }],
  ['wso2-vault', { arity: [1, 1], call: secret }],
  ['hashicorp-vault', { arity: [2, 3], call: externalSecret }],
] satisfies (readonly [string, SynapseFunction])[]);

function formatted([value = null, format = null, target]: readonly SynapseValue[], scope: Scope): string {
  if (target !== undefined) {
    return reformatDate(scope, expectString(value), [expectString(format), expectString(target)]);
  }
  const millis = typeof value === 'string' ? Number(value) : Number(expectNumber(value).value);
  if (!Number.isFinite(millis)) throw new EvaluationError('expected milliseconds since the epoch');
  return formatMillis(scope, millis, expectString(format));
}

function secret([alias = null]: readonly SynapseValue[], scope: Scope): string {
  const name = expectString(alias);
  const value = scope.secret(name);
  if (value === undefined) throw new EvaluationError(`the secret "${name}" does not exist`);
  return value;
}

/** `hashicorp-vault([namespace,] path, field)` (runtime-core 8.6). */
function externalSecret(args: readonly SynapseValue[], scope: Scope): string {
  const [field = '', path = '', namespace] = args.map(expectString).reverse();
  return scope.vaultSecret({ namespace, path, field });
}
