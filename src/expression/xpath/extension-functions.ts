import { Buffer } from 'node:buffer';
import { createHmac, getHashes } from 'node:crypto';
import { decodeText, encodeText } from '#core/java';
import { formatNow } from '../dates.ts';
import { EvaluationError } from '../error.ts';
import { urlEncode } from '../url-encoding.ts';
import type { PropertyScope, Scope } from '../scope.ts';
import { textOfCode, type Code, type Frame } from './code.ts';
import type { XPathFunction } from './core-functions.ts';
import { keyStoreFunctions } from './key-store-functions.ts';
import { fromProperty, type XPathValue } from './values.ts';

const propertyScopes: ReadonlyMap<string, PropertyScope> = new Map([
  ['default', 'default'],
  ['synapse', 'default'],
  ['axis2', 'axis2'],
  ['axis2-client', 'axis2-client'],
  ['transport', 'transport'],
  ['operation', 'operation'],
  ['registry', 'registry'],
  ['system', 'system'],
  ['env', 'env'],
  ['file', 'file'],
  ['func', 'func'],
  ['analytics', 'analytics'],
  ['trace', 'trace'],
]);

/** Functions that the original adds to XPath (runtime-core 8.2). */
export const extensionFunctions: ReadonlyMap<string, XPathFunction> = new Map<string, XPathFunction>([
  ['get-property', { arity: [1, 3], type: 'unknown', make: getProperty }],
  [
    'base64Encode',
    ofTexts([1, 2], (text, charset) => Buffer.from(encodeText(text, charset ?? 'UTF-8')).toString('base64')),
  ],
  ['base64Decode', ofTexts([1, 2], (text, charset) => decodeText(Buffer.from(text, 'base64'), charset ?? 'UTF-8'))],
  ['url-encode', ofTexts([1, 2], (text, charset) => urlEncode(text, charset ?? 'UTF-8'))],
  ['hmac-generate', ofTexts([2, 3], (text, secret, algorithm) => hmac(text, secret ?? '', algorithm ?? 'HmacSHA1'))],
  ...keyStoreFunctions,
  ['wso2:vault-lookup', { arity: [1, 2], type: 'string', make: vaultLookup }],
  ['hashicorp:vault-lookup', { arity: [2, 3], type: 'string', make: externalVaultLookup }],
]);

type TextFunction = (text: string, second: string | undefined, third: string | undefined) => string;

function ofTexts(arity: readonly [number, number], calculate: TextFunction): XPathFunction {
  const make = (args: readonly Code[]): ((frame: Frame) => string) => {
    const [first, second, third] = args.map((argument) => textOfCode(argument));
    return (frame) => calculate(first?.(frame) ?? '', second?.(frame), third?.(frame));
  };
  return { arity, type: 'string', make };
}

/** Places outside of the message: what they lack is the empty string, what a message lacks is null. */
const outerScopes: ReadonlySet<PropertyScope> = new Set(['registry', 'system', 'env', 'file']);

/**
 * `get-property(name)`, `get-property(scope, name)` and either with a date pattern at the end. What is unset is null, as
 * with `$ctx:name` and its relatives, which every function around it takes for the empty string (runtime-core 4.2).
 */
function getProperty(args: readonly Code[]): (frame: Frame) => XPathValue {
  const [first, second, third] = args.map((argument) => textOfCode(argument));
  return (frame) => {
    const { scope } = frame.evaluation;
    const one = first?.(frame) ?? '';
    if (!second) return propertyOf(scope, 'default', one);
    const two = second(frame);
    if (one === 'SYSTEM_DATE') return formatNow(scope, two);
    if (two === 'SYSTEM_DATE' && third) return formatNow(scope, third(frame));
    return propertyOf(scope, one, two);
  };
}

function propertyOf(scope: Scope, scopeName: string, name: string): XPathValue {
  if (name === '') return '';
  const known = propertyScopes.get(scopeName);
  if (known === undefined) {
    scope.warn('get-property was called with an unknown scope', scopeName);
    return '';
  }
  return fromProperty(scope.property(known, name)) ?? (outerScopes.has(known) ? '' : null);
}

function hmac(payload: string, secret: string, algorithm: string): string {
  const digest = algorithm.replace(/^Hmac/i, '').replace('-', '').toLowerCase();
  if (!getHashes().includes(digest)) {
    throw new EvaluationError(`the algorithm "${algorithm}" of hmac-generate is not known`);
  }
  return createHmac(digest, secret).update(payload).digest('hex');
}

function vaultLookup(args: readonly Code[]): (frame: Frame) => string {
  const [alias] = args.map((argument) => textOfCode(argument));
  return (frame) => frame.evaluation.scope.secret(alias?.(frame) ?? '') ?? '';
}

/** `hashicorp:vault-lookup([namespace,] path, field)` (runtime-core 8.2). */
function externalVaultLookup(args: readonly Code[]): (frame: Frame) => string {
  const texts = args.map((argument) => textOfCode(argument));
  return (frame) => {
    const [field = '', path = '', namespace] = texts.map((text) => text(frame)).reverse();
    return frame.evaluation.scope.vaultSecret({ namespace, path, field });
  };
}
