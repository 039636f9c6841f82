import type { Message } from '#message';
import { cloneNode, type SourceNode, type XmlElement } from '#xml';
import { readExpression, type ExpressionSource } from '../reading.ts';
import { readRegex } from './regex.ts';
import { textOfValue } from './typed-value.ts';
import { fragmentNames, splitFragments, type FragmentName } from './url-fragments.ts';

/** What a condition looks at: the message, and the URL in question. */
export interface EvaluatorInput {
  readonly message: Message;
  /** `To` unless somebody rewrites another URL. */
  readonly url: string;
}

/** A condition of `<conditionalRouter>` or `<rewrite>` (mediators 3.3). */
export interface Evaluator {
  /** True when it reads the payload. */
  readonly contentAware: boolean;
  evaluate(input: EvaluatorInput): boolean;
  serialize(): XmlElement;
}

/** A condition while it is read: what it does, without how it is written. */
type Test = Omit<Evaluator, 'serialize'>;
type SourceText = (input: EvaluatorInput) => string | undefined;

const sourceTypes = ['header', 'param', 'url', 'property', 'soap'] as const;
const evaluatorNames = ['and', 'or', 'not', 'equal', 'match'] as const;

/** Reads one condition; undefined when it is none, which is reported. */
export function readEvaluator(node: SourceNode): Evaluator | undefined {
  const test = readTest(node);
  if (!test) return undefined;
  const written = cloneNode(node.element);
  return { ...test, serialize: () => cloneNode(written) };
}

/** Reads the condition inside an element such as `<condition>`. */
export function readCondition(node: SourceNode): Evaluator | undefined {
  const [first, ...others] = node.children();
  if (!first || others.length > 0) {
    node.error(`<${node.local}> must hold one condition: ${evaluatorNames.join(', ')}`, { code: 'MR_ARTIFACT_CHILD' });
    return undefined;
  }
  return readEvaluator(first);
}

function readTest(node: SourceNode): Test | undefined {
  switch (node.local) {
    case 'and':
      return readGroup(node, (tests, input) => tests.every((test) => test.evaluate(input)));
    case 'or':
      return readGroup(node, (tests, input) => tests.some((test) => test.evaluate(input)));
    case 'not':
      return readNegation(node);
    case 'equal':
    case 'match':
      return readComparison(node);
    default:
      node.error(`a condition must be one of ${evaluatorNames.join(', ')}; found <${node.local}>`, {
        code: 'MR_ARTIFACT_CHILD',
      });
      return undefined;
  }
}

function readGroup(
  node: SourceNode,
  combine: (tests: readonly Test[], input: EvaluatorInput) => boolean,
): Test | undefined {
  node.knowOnly([]);
  const children = node.children();
  if (children.length < 2) {
    node.error(`<${node.local}> needs at least two conditions, found ${children.length}`, {
      code: 'MR_ARTIFACT_CHILD',
    });
  }
  const tests = children.map((child) => readTest(child)).filter((test) => test !== undefined);
  return {
    contentAware: tests.some(({ contentAware }) => contentAware),
    evaluate: (input) => combine(tests, input),
  };
}

function readNegation(node: SourceNode): Test | undefined {
  node.knowOnly([]);
  const [child, ...others] = node.children();
  if (!child || others.length > 0) {
    node.error('<not> needs exactly one condition', { code: 'MR_ARTIFACT_CHILD' });
    return undefined;
  }
  const test = readTest(child);
  return test && { contentAware: test.contentAware, evaluate: (input) => !test.evaluate(input) };
}

function readComparison(node: SourceNode): Test | undefined {
  const isEqual = node.local === 'equal';
  node.knowOnly(['type', 'source', isEqual ? 'value' : 'regex']);
  const type = node.choice('type', sourceTypes, 'header');
  const source = node.attribute('source');
  if (source === undefined && type !== 'url') node.required('source');
  const expression = type === 'soap' ? readExpression(node, 'source') : undefined;
  const wanted = isEqual ? (node.rawAttribute('value') ?? node.required('value')) : node.required('regex');
  const pattern = isEqual ? undefined : readRegex(node, 'regex');
  const sourceText = compileSource(node, { type, source: source ?? 'full', expression });
  if (!sourceText) return undefined;
  return {
    contentAware: expression?.expression.contentAware ?? false,
    evaluate(input) {
      const text = sourceText(input);
      if (text === undefined) return false;
      return pattern ? pattern.matches(text) : text.toLowerCase() === wanted.toLowerCase();
    },
  };
}

function compileSource(
  node: SourceNode,
  { type, source, expression }: { type: string; source: string; expression: ExpressionSource | undefined },
): SourceText | undefined {
  switch (type) {
    case 'header':
      return ({ message }) => message.header(source);
    case 'param':
      return ({ url }) => queryParameter(url, source);
    case 'property':
      return ({ message }) => {
        const value = message.property('default', source);
        return value === undefined || value === null ? undefined : textOfValue(value);
      };
    case 'soap':
      return expression && (({ message }) => expression.expression.evaluateString(message));
    default:
      return fragmentSource(node, source);
  }
}

function fragmentSource(node: SourceNode, source: string): SourceText | undefined {
  if (source === 'full') return ({ url }) => url;
  const name = fragmentNames.find((each) => each === source);
  if (name) return ({ url }) => fragmentOf(url, name);
  node.error(`"source" must be one of ${[...fragmentNames, 'full'].join(', ')}; found "${source}"`, {
    attribute: 'source',
  });
  return undefined;
}

function fragmentOf(url: string, name: FragmentName): string | undefined {
  return splitFragments(url)?.[name];
}

function queryParameter(url: string, name: string): string | undefined {
  const query = fragmentOf(url, 'query');
  if (query === undefined) return undefined;
  for (const part of query.split('&')) {
    const equals = part.indexOf('=');
    if ((equals < 0 ? part : part.slice(0, equals)) === name) return equals < 0 ? '' : decoded(part.slice(equals + 1));
  }
  return undefined;
}

/** A malformed escape stays as it is: it then equals nothing that an artifact compares with. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
