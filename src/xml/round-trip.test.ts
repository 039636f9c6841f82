import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import {
  appendChild,
  parseXml,
  serializeXml,
  XmlComment,
  XmlElement,
  XmlError,
  XmlInstruction,
  XmlText,
  type XmlNode,
} from './index.ts';

const names = fc.constantFrom('a', 'b', 'item', 'x-y', 'ä', '_1');
const namespaces = fc.constantFrom(['', ''], ['', 'urn:default'], ['p', 'urn:p'], ['q', 'urn:q'], ['p', 'urn:other']);
const text = fc
  .string({
    minLength: 1,
    maxLength: 12,
    unit: fc.constantFrom('a', ' ', '<', '>', '&', '"', "'", ']', '\n', '\r', '\t', 'ä', '😀'),
  })
  .filter((value) => value !== '');

const leaf: fc.Arbitrary<XmlNode> = fc.oneof(
  text.map((value) => new XmlText(value)),
  text.map((value) => new XmlText(value.replaceAll('\r', ''), true)).filter(({ value }) => value !== ''),
  fc.constantFrom('comment', ' x < y ').map((value) => new XmlComment(value)),
  fc.constant(null).map(() => new XmlInstruction('target', 'body')),
);

const { element } = fc.letrec<{ element: XmlElement; node: XmlNode }>((tie) => ({
  node: fc.oneof({ maxDepth: 4 }, leaf, tie('element')),
  element: fc
    .record({
      name: names,
      namespace: namespaces,
      attributes: fc.array(fc.tuple(names, namespaces, text), { maxLength: 3 }),
      children: fc.array(tie('node'), { maxLength: 4 }),
    })
    .map(build),
}));

interface Plan {
  readonly name: string;
  readonly namespace: readonly string[];
  readonly attributes: readonly (readonly [name: string, namespace: readonly string[], value: string])[];
  readonly children: readonly XmlNode[];
}

function build({ name, namespace: [prefix = '', uri = ''], attributes, children }: Plan): XmlElement {
  const element = new XmlElement(name, uri, prefix);
  const taken = new Set<string>();
  const bound = new Map([[prefix, uri]]);
  for (const [local, [attributePrefix = '', attributeUri = ''], value] of attributes) {
    const usable = attributePrefix !== '' && (bound.get(attributePrefix) ?? attributeUri) === attributeUri;
    const key = usable ? `{${attributeUri}}${local}` : local;
    if (taken.has(key)) continue;
    taken.add(key);
    if (usable) bound.set(attributePrefix, attributeUri);
    element.attributes.push({ prefix: usable ? attributePrefix : '', local, uri: usable ? attributeUri : '', value });
  }
  for (const child of children) appendChild(element, child);
  return element;
}

test('what is written is read back as the same tree', () => {
  fc.assert(
    fc.property(element, (root) => {
      const markup = serializeXml(root);
      const read = parseXml(markup).root;
      assert.deepEqual(shape(read), shape(root), markup);
      assert.equal(serializeXml(read), markup);
    }),
    { numRuns: 500, verbose: 1 },
  );
});

test('mutated documents raise nothing but errors of the parser', () => {
  const seed = '<?xml version="1.0"?><a xmlns:p="u"><p:b c="1">&lt;t&gt;</p:b><!--x--><![CDATA[y]]><?pi z?></a>';
  const noise = fc.constantFrom(
    '<',
    '>',
    '&',
    '"',
    '/',
    '!',
    '?',
    ']',
    ':',
    '=',
    'x',
    '\0',
    '&#0;',
    '<!DOCTYPE a>',
    '\ud800',
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(seed.length), fc.nat(3), noise), { minLength: 1, maxLength: 4 }), (edits) => {
      const markup = edits.reduce(
        (result, [at, cut, added]) => result.slice(0, at) + added + result.slice(at + cut),
        seed,
      );
      try {
        serializeXml(parseXml(markup).root);
      } catch (error) {
        assert(error instanceof XmlError, `${markup}: ${String(error)}`);
      }
    }),
    { numRuns: 1500, verbose: 1 },
  );
});

/** Names, attributes and content of a tree; neighbouring texts of one kind are one, as after parsing. */
function shape(node: XmlNode): unknown {
  if (node.kind !== 'element') return { kind: node.kind, markup: serializeXml(node) };
  const attributes = node.attributes.map(({ local, uri, value }) => [local, uri, value]);
  const children: unknown[] = [];
  let last: { cdata: boolean; value: string } | undefined;
  for (const child of node.children) {
    if (child.kind !== 'text') {
      children.push(shape(child));
      last = undefined;
    } else if (last?.cdata === child.cdata) last.value += child.value;
    else {
      last = { cdata: child.cdata, value: child.value };
      children.push(last);
    }
  }
  return { local: node.local, uri: node.uri, attributes, children };
}
