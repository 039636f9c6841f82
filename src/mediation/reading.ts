import { messageOf } from '#errors';
import { compileExpression, compileValue, ExpressionError, type Expression, type ValueExpression } from '#expression';
import { appendChild, XmlElement, XmlText, type SourceNode, type XmlNode } from '#xml';

/** Namespace of every artifact. */
export const synapseNamespace = 'http://ws.apache.org/ns/synapse';

/** An expression as the artifact says it, compiled, with the namespaces that it needs when it is written back. */
export interface ExpressionSource {
  readonly text: string;
  readonly namespaces: ReadonlyMap<string, string>;
  readonly expression: Expression;
}

/** A value that is literal or `{dynamic}`. */
export interface ValueSource {
  readonly text: string;
  readonly namespaces: ReadonlyMap<string, string>;
  readonly value: ValueExpression;
}

/** Reads an attribute that holds an expression; undefined when it is absent or wrong, the latter being reported. */
export function readExpression(node: SourceNode, attribute: string): ExpressionSource | undefined {
  const text = node.attribute(attribute);
  return text === undefined ? undefined : expressionSource(node, text, attribute);
}

/** The expression in a text that belongs to `node`; `attribute` is where problems are shown. */
export function expressionSource(node: SourceNode, text: string, attribute?: string): ExpressionSource | undefined {
  const namespaces = node.namespaces();
  return reporting(node, attribute, () => ({ text, namespaces, expression: compileExpression(text, { namespaces }) }));
}

/** Reads an attribute that is literal or `{dynamic}`; undefined when it is absent or wrong. */
export function readValue(node: SourceNode, attribute: string): ValueSource | undefined {
  const text = node.attribute(attribute);
  return text === undefined ? undefined : valueSource(node, text, attribute);
}

/** The literal or dynamic value in a text that belongs to `node`. */
export function valueSource(node: SourceNode, text: string, attribute?: string): ValueSource | undefined {
  const namespaces = node.namespaces();
  return reporting(node, attribute, () => ({ text, namespaces, value: compileValue(text, { namespaces }) }));
}

/**
 * Warns about attributes that count for nothing because one before them in `names` is written too, or with `child` an
 * element of the artifact in their place (mediators 1.4, 2.2: exactly one).
 */
export function warnOfOthers(node: SourceNode, names: readonly string[], child?: SourceNode): void {
  const [first, ...others] = names.filter((name) => node.rawAttribute(name) !== undefined);
  if (first === undefined) return;
  for (const other of others) {
    const message = `<${node.local}> takes one of ${names.join(', ')}; "${first}" counts, and "${other}" is ignored`;
    node.warn(message, { attribute: other, code: 'MR_ARTIFACT_TWO_VALUES' });
  }
  child?.warn(`<${node.local}> has "${first}", so that <${child.local}> is ignored`, {
    code: 'MR_ARTIFACT_TWO_VALUES',
  });
}

/** Runs a compile step and reports its syntax error at the place where the text stands. */
export function reporting<T>(node: SourceNode, attribute: string | undefined, compile: () => T): T | undefined {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    node.error(messageOf(error), {
      code: String(error.code),
      ...(attribute === undefined ? {} : { attribute }),
    });
    return undefined;
  }
}

/** Makes an element of the Synapse namespace; attributes without a value are left out. */
export function synapseElement(
  local: string,
  attributes: Readonly<Record<string, string | number | boolean | undefined>> = {},
  children: readonly (XmlNode | undefined)[] = [],
): XmlElement {
  const element = new XmlElement(local, synapseNamespace);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) element.attributes.push({ prefix: '', local: name, uri: '', value: String(value) });
  }
  for (const child of children) if (child) appendChild(element, child);
  return element;
}

/** An element of the Synapse namespace with text. */
export function textElement(local: string, text: string): XmlElement {
  return synapseElement(local, {}, [new XmlText(text)]);
}

/** Declares on `element` the prefixes that the expressions written into it use. */
export function declareNamespaces(
  element: XmlElement,
  sources: readonly ({ text: string; namespaces: ReadonlyMap<string, string> } | undefined)[],
): XmlElement {
  for (const source of sources) {
    if (!source) continue;
    for (const [prefix, uri] of source.namespaces) {
      const used = new RegExp(`(^|[^\\w.-])${prefix.replaceAll('.', '\\.')}:`).test(source.text);
      const declared = element.declarations.some((declaration) => declaration.prefix === prefix);
      if (used && !declared) element.declarations.push({ prefix, uri });
    }
  }
  return element;
}
