import { compileInlineTemplate, type InlineTemplate } from '#expression';

/** What an assertion looks at. */
export type ActualValue =
  | { readonly kind: 'body' | 'status' | 'version'; readonly text: string }
  | { readonly kind: 'property'; readonly text: string; readonly scope: PropertyPlace; readonly name: string }
  | { readonly kind: 'expression'; readonly text: string; readonly template: InlineTemplate };

/** Where a property is looked up: of the message, of its transport part, among its headers. */
export type PropertyPlace = 'default' | 'axis2' | 'transport';

const plain: Readonly<Record<string, 'body' | 'status' | 'version'>> = {
  $body: 'body',
  $statusCode: 'status',
  $httpVersion: 'version',
};
const places: Readonly<Record<string, PropertyPlace>> = { $ctx: 'default', $axis2: 'axis2', $trp: 'transport' };

/**
 * Reads an `<actual>`; undefined when it is none of those that there are (mediators 17).
 *
 * @throws ExpressionError for a `${…}` that cannot be compiled
 */
export function readActual(text: string, namespaces: ReadonlyMap<string, string>): ActualValue | undefined {
  const kind = plain[text];
  if (kind) return { kind, text };
  if (text.startsWith('${')) {
    return { kind: 'expression', text, template: compileInlineTemplate(text, { namespaces }) };
  }
  const colon = text.indexOf(':');
  const scope = places[text.slice(0, Math.max(0, colon))];
  const name = text.slice(colon + 1);
  return scope && name !== '' ? { kind: 'property', text, scope, name } : undefined;
}
