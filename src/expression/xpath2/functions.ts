import { addedFunctions, isAdded } from './added-functions.ts';
import { ExpressionError } from '../error.ts';
import type { Scope } from '../scope.ts';
import { Frame, type Code } from '../xpath/code.ts';
import { extensionFunctions } from '../xpath/extension-functions.ts';
import { NodeCache } from '../xpath/nodes.ts';
import { fromProperty, isNodeSet, type XPathValue } from '../xpath/values.ts';
import { XmlElement } from '#xml';
import { JsonNumber } from '#json';
import type { DomViews } from './dom-node.ts';
import type { Engine } from './engine.ts';

/** What functions may look at while an expression is evaluated. */
export interface EngineContext {
  readonly scope: Scope;
  readonly views: DomViews;
}

const ownNamespace = 'urn:millrace:functions';
const nowhere = new XmlElement('none');

/** Registers our functions with the engine, once. */
export function registerFunctions(engine: Engine): void {
  for (const [name, { arity, make }] of extensionFunctions) {
    const localName = name.replace(':', '.');
    for (let count = arity[0]; count <= arity[1]; count++) {
      engine.registerCustomXPathFunction(
        { namespaceURI: ownNamespace, localName },
        Array.from({ length: count }, () => 'xs:anyAtomicType?'),
        'item()*',
        ({ currentContext }, ...args: unknown[]) => {
          const { scope, views } = currentContext as EngineContext;
          const codes = args.map((value): Code => ({ type: 'unknown', evaluate: () => fromProperty(value) }));
          return toEngineValue(make(codes)(new Frame({ scope, cache: new NodeCache() }, nowhere)), views);
        },
      );
    }
  }
  for (const { name: localName, signatures, result, calculate } of addedFunctions) {
    for (const signature of signatures) {
      const name = { namespaceURI: ownNamespace, localName };
      engine.registerCustomXPathFunction(name, signature.slice(), result, (_context, ...args: unknown[]) =>
        calculate(...args),
      );
    }
  }
}

/** Where the engine finds a function: ours where there is one, else its own. @throws ExpressionError for a prefix */
export function resolveFunction(
  { prefix, localName, arity }: { prefix: string | null; localName: string; arity: number },
  namespaces: ReadonlyMap<string, string>,
): { namespaceURI: string; localName: string } {
  const own = prefix === 'wso2' || prefix === 'hashicorp' ? `${prefix}:${localName}` : localName;
  if (extensionFunctions.has(own)) return { namespaceURI: ownNamespace, localName: own.replace(':', '.') };
  const isPlain = prefix === null || prefix === '' || prefix === 'fn';
  if (isPlain) {
    const namespaceURI = isAdded(localName, arity) ? ownNamespace : 'http://www.w3.org/2005/xpath-functions';
    return { namespaceURI, localName };
  }
  const namespaceURI = namespaces.get(prefix) ?? wellKnown.get(prefix);
  if (namespaceURI === undefined) throw new ExpressionError(`the prefix "${prefix}" is not declared`, 0);
  return { namespaceURI, localName };
}

/** Prefixes that the engine's language declares by itself. */
export const wellKnown: ReadonlyMap<string, string> = new Map([
  ['xml', 'http://www.w3.org/XML/1998/namespace'],
  ['xs', 'http://www.w3.org/2001/XMLSchema'],
  ['fn', 'http://www.w3.org/2005/xpath-functions'],
  ['local', 'http://www.w3.org/2005/xquery-local-functions'],
  ['map', 'http://www.w3.org/2005/xpath-functions/map'],
  ['array', 'http://www.w3.org/2005/xpath-functions/array'],
  ['math', 'http://www.w3.org/2005/xpath-functions/math'],
]);

function toEngineValue(value: XPathValue, views: DomViews): unknown[] {
  if (value === null) return [];
  if (value instanceof JsonNumber) return [Number(value.text)];
  if (!isNodeSet(value)) return [value];
  return value.flatMap((node) => {
    const isTreeNode = node.kind !== 'document' && node.kind !== 'attribute' && node.kind !== 'namespace';
    return isTreeNode ? [views.of(node)] : [];
  });
}
