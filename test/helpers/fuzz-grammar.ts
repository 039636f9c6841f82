import * as fc from 'fast-check';

/** Texts that follow the grammar of a language in the main, kept small: depth and width are bounded. */

const depth = (identifier: string): { maxDepth: number; depthIdentifier: string } => ({
  maxDepth: 4,
  depthIdentifier: identifier,
});

/** Parts one after the other. */
function sequence(...parts: readonly (string | fc.Arbitrary<string>)[]): fc.Arbitrary<string> {
  return fc
    .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
    .map((all) => all.join(''));
}

function list(item: fc.Arbitrary<string>, separator: string, maxLength = 3): fc.Arbitrary<string> {
  return fc.array(item, { maxLength }).map((items) => items.join(separator));
}

const word = fc.constantFrom('a', 'order', 'id', 'b-c', '_x', 'ä', 'div', 'or', 'text');
const quoted = fc.constantFrom("'a'", '"b"', "''", "'[0-9]+'", "'(a'", '"yyyy-MM-dd"', "'//a'", '"é😀"');
const number = fc.constantFrom('0', '1', '-1', '2.50', '1e3', '2147483648', '9223372036854775807', '.5', '007');

const xpathFunctions = fc.constantFrom(
  ...'count sum string number boolean not concat contains substring normalize-space translate position last'.split(' '),
  ...'get-property base64Encode url-encode hmac-generate name lang round starts-with string-length'.split(' '),
);
const axis = fc.constantFrom(
  '',
  '@',
  'ancestor::',
  'following::',
  'preceding-sibling::',
  'descendant-or-self::',
  'namespace::',
);
const nodeTest = fc.oneof(
  word,
  fc.constantFrom('*', 'node()', 'text()', 'comment()', 'p:*', 'p:a', 'processing-instruction()'),
);

/** Expressions of XPath 1.0. */
export const xpathText = fc.letrec<{ expression: string; step: string }>((tie) => {
  const expression = tie('expression');
  return {
    step: fc.oneof(
      depth('xpath'),
      sequence(axis, nodeTest),
      fc.constantFrom('.', '..'),
      sequence(axis, nodeTest, '[', expression, ']'),
    ),
    expression: fc.oneof(
      depth('xpath'),
      quoted,
      number,
      fc.constantFrom('$body', '$ctx:p', '$trp:h', '$env', '$url:q', '$func:f', '/', '//a'),
      sequence(fc.constantFrom('', '/', '//', '$body/', '$ctx:e/'), list(tie('step'), '/')),
      sequence(xpathFunctions, '(', list(expression, ','), ')'),
      sequence(
        expression,
        fc.constantFrom(' and ', ' or ', '=', '!=', '<', '>=', '+', ' - ', '*', ' div ', ' mod ', '|'),
        expression,
      ),
      sequence('(', expression, ')', fc.constantFrom('', '[1]', '/a', '//b')),
      sequence('-', expression),
    ),
  };
}).expression;

const comparison = fc.constantFrom(
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  '=~',
  ' in ',
  ' nin ',
  ' size ',
  ' empty ',
  ' subsetof ',
  ' contains ',
);

/** Paths of JSONPath. */
export const jsonPathText = fc.letrec<{ path: string; step: string; condition: string; operand: string }>((tie) => ({
  path: sequence(fc.constantFrom('$', '$', ''), list(tie('step'), '', 4)),
  step: fc.oneof(
    depth('path'),
    sequence(
      fc.constantFrom('.', '..'),
      fc.oneof(word, fc.constantFrom('*', 'length()', 'sum()', 'keys()', 'first()')),
    ),
    sequence('[', fc.oneof(number, fc.constantFrom('*', '0,1', '1:', ':2', '-1:', '0:5:2', '?(@)')), ']'),
    sequence('[', list(quoted, ',', 2), ']'),
    sequence('[?(', tie('condition'), ')]'),
    sequence('.concat(', list(tie('operand'), ',', 2), ')'),
  ),
  operand: fc.oneof(
    depth('path'),
    quoted,
    number,
    fc.constantFrom('true', 'null', '[1,2]', '{"a":1}', '/a.*/i', '/(/', '@', '@.a'),
    sequence(fc.constantFrom('@', '$'), list(tie('step'), '', 2)),
  ),
  condition: fc.oneof(
    depth('path'),
    sequence(tie('operand'), comparison, tie('operand')),
    tie('operand'),
    sequence('!', tie('condition')),
    sequence('(', tie('condition'), ')'),
    sequence(tie('condition'), fc.constantFrom('&&', '||', ' and '), tie('condition')),
  ),
})).path;

const synapseFunctions = fc.constantFrom(
  ...'length toUpper trim subString replace split indexOf charAt abs round pow log string integer float'.split(' '),
  ...'boolean object array exists not xpath registry isArray now formatDateTime base64decode urlDecode'.split(' '),
);
const root = fc.constantFrom(
  'payload',
  '$',
  'vars.v',
  'headers.h',
  'props.synapse.p',
  'params.queryParams.q',
  'configs.c',
);

/** What stands between `${` and `}`. */
export const synapseText = fc.letrec<{ expression: string; tail: string }>((tie) => {
  const expression = tie('expression');
  return {
    tail: fc.oneof(
      depth('synapse'),
      sequence('.', word),
      sequence('["', word, '"]'),
      sequence('[', number, ']'),
      sequence('[', expression, fc.constantFrom(']', ':]', ':2]')),
      sequence('[?(@.a ', comparison, ' ', expression, ')]'),
    ),
    expression: fc.oneof(
      depth('synapse'),
      quoted,
      number,
      fc.constantFrom('true', 'null', '[]'),
      sequence(root, list(tie('tail'), '')),
      sequence(synapseFunctions, '(', list(expression, ', '), ')', list(tie('tail'), '', 1)),
      sequence(
        expression,
        fc.constantFrom(' + ', ' - ', ' * ', ' / ', ' % ', ' == ', ' < ', ' >= ', ' and ', ' || '),
        expression,
      ),
      sequence(expression, ' ? ', expression, ' : ', expression),
      sequence('[', list(expression, ', '), ']'),
      sequence('(', expression, ')'),
    ),
  };
}).expression;

/** Texts of JSON, with things between that are none. */
export const jsonText = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    depth('json'),
    number,
    fc.constantFrom(
      'true',
      'false',
      'null',
      '"a"',
      '"\\u00e9"',
      '"\\ud800"',
      '"\\x"',
      '""',
      ' 1 ',
      '-',
      'nul',
      '"\n"',
      '+1',
    ),
    sequence('[', list(tie('value'), ','), fc.constantFrom(']', ' ]', ',]', '')),
    sequence(
      '{',
      list(sequence(fc.constantFrom('"a"', '"b"', '"@x"', '"$"', '""', 'a'), ' : ', tie('value')), ','),
      fc.constantFrom('}', '}\n', ',}', ''),
    ),
  ),
})).value;

const xmlName = fc.constantFrom('a', 'p:b', 'q:c', 'x-1', 'é', '1a', 'a:b:c', 'xml');
const attribute = sequence(
  fc.constantFrom(' ', '\n', ''),
  fc.constantFrom('x', 'p:y', 'xmlns:p', 'xmlns', 'xml:lang', 'xmlns:q'),
  fc.constantFrom('="1"', "='u'", ' = "a&amp;b"', '="&lt;"', '="<"', '="&nope;"', '=1', '=""'),
);

/** Documents of XML 1.0, with things in them that are not well-formed. */
export const xmlText = fc.letrec<{ document: string; element: string; content: string }>((tie) => ({
  content: fc.oneof(
    depth('xml'),
    fc.constantFrom('text', ' ', '&amp;', '&#x41;', '&#0;', ']]>', '&', '\r\n', '😀', '\u0001', '\ufffe'),
    fc.constantFrom('<!--c-->', '<!-- -- -->', '<![CDATA[<x>]]>', '<![CDATA[', '<?pi v?>', '<?xml v?>', '<?p:i?>'),
    tie('element'),
  ),
  element: fc
    .tuple(xmlName, list(attribute, ''), fc.array(tie('content'), { maxLength: 3 }), fc.nat(30))
    .map(([name, attributes, content, oddity]) => {
      const end = oddity === 0 ? '' : oddity === 1 ? '</other>' : oddity === 2 ? `</${name} >` : `</${name}>`;
      return content.length === 0 ? `<${name}${attributes}/>` : `<${name}${attributes}>${content.join('')}${end}`;
    }),
  document: sequence(
    fc.constantFrom(
      '',
      '',
      '<?xml version="1.0"?>',
      '<?xml version="1.0" encoding="UTF-8"?>\n',
      ' ',
      '<!--c-->',
      '\ufeff',
    ),
    sequence('<r xmlns:p="urn:p" xmlns:q="urn:q">', list(tie('content'), ''), '</r>'),
    fc.constantFrom('', '', '\n', '<!--c-->', 'x', '<s/>'),
  ),
})).document;

const xqueryProlog = fc.constantFrom(
  '',
  '',
  'xquery version "1.0";',
  'declare variable $x external;',
  'declare variable $y := 1;',
  'declare namespace q = "urn:q";',
  'declare function local:f($a) { $a };',
  'declare function local:f($a as xs:integer) as xs:integer { local:f($a) };',
  "declare default element namespace 'urn:p';",
  'import module namespace m = "urn:m" at "http://127.0.0.1:1/m.xq";',
  '(: comment ; :)',
  'declare',
);

/** Queries of XQuery with constructors, bindings and a prolog. */
export const xqueryText = sequence(
  list(xqueryProlog, '\n', 2),
  fc.letrec<{ query: string }>((tie) => {
    const query = tie('query');
    return {
      query: fc.oneof(
        depth('xquery'),
        xpathText,
        fc.constantFrom(
          '$x',
          '$y',
          '$doc//a',
          '()',
          '(1, "a", true())',
          '1 to 3',
          'local:f(1)',
          'doc("file:///etc/passwd")',
        ),
        sequence('for $i in ', query, ' return ', query),
        sequence('for $i at $n in ', query, ' where $n > 1 order by $i descending return ', query),
        sequence('let $x := ', query, ' return ', query),
        sequence('if (', query, ') then ', query, ' else ', query),
        sequence('some $i in ', query, ' satisfies ', query),
        sequence('typeswitch (', query, ') case xs:integer return 1 default $d return $d'),
        sequence(
          '<a x="{',
          query,
          '}">',
          fc.constantFrom('', 'text', '{{', '<b/>', '&lt;', '&nope;'),
          '{',
          query,
          '}</a>',
        ),
        sequence('element {', quoted, '} {', query, '}'),
        sequence(query, ' cast as ', fc.constantFrom('xs:integer', 'xs:date?', 'xs:nope')),
        sequence('map { "a": ', query, ' }?a'),
      ),
    };
  }).query,
);
