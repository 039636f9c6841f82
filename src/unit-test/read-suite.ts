import type { ArtifactFile, PackedResource } from '#artifacts';
import { excerptOf, type Problem } from '#errors';
import { ExpressionError } from '#expression';
import { parseXml, SourceNode, XmlError } from '#xml';
import { readActual } from './actual.ts';
import { blockText, inlineDocument } from './block-text.ts';
import { readNamedConnector } from './connectors.ts';
import { readMockServices } from './read-mock-service.ts';
import { readNamedFile } from './named-file.ts';
import type { Assertion, InputProperty, Suite, TestCase } from './suite.ts';

/** A suite, or what keeps it from being one; warnings may stand beside a suite. */
export interface ReadSuite {
  readonly suite: Suite | undefined;
  readonly problems: readonly Problem[];
}

/**
 * Reads the text of a suite (mediators 17) and every file that it names. Whatever is wrong is among the problems with
 * its file, line and column; a suite with errors is not given.
 */
export function readSuite(text: string, file: string): ReadSuite {
  const problems: Problem[] = [];
  const report = (problem: Problem): void => {
    problems.push(problem);
  };
  const root = readRoot(text, file, report);
  if (!root) return { suite: undefined, problems };
  root.knowOnlyChildren(['artifacts', 'test-cases', 'mock-services']);
  const artifacts = needed(root, 'artifacts');
  const tested = artifacts?.child('test-artifact')?.childrenNamed('artifact') ?? [];
  if (artifacts && tested.length !== 1) {
    artifacts.error('<artifacts> needs one <artifact> in its <test-artifact>', { code: 'MR_UNIT_TEST_ARTIFACT' });
  }
  const [artifact] = filesOf(tested, file);
  const supporting = artifacts?.child('supportive-artifacts')?.childrenNamed('artifact') ?? [];
  const connectors = artifacts?.child('connector-resources')?.childrenNamed('connector-resource') ?? [];
  const cases = needed(root, 'test-cases')?.childrenNamed('test-case') ?? [];
  const parts = {
    file,
    supporting: filesOf(supporting, file),
    registry: artifacts ? registryOf(artifacts, file) : [],
    cases: cases.map((node, index) => readCase(node, index)),
    services: readMockServices(root, file),
    connectors: connectors.flatMap((node) => readNamedConnector(node, file) ?? []),
  };
  const isSound = artifact && problems.every(({ severity }) => severity !== 'error');
  return { suite: isSound ? { ...parts, artifact } : undefined, problems };
}

/** True for a file that is a suite: its root holds artifacts to test and test cases, whatever its name is. */
export function isSuite(text: string): boolean {
  return /<test-artifact[\s>]/.test(text) && /<test-cases[\s>/]/.test(text);
}

function readRoot(text: string, file: string, report: (problem: Problem) => void): SourceNode | undefined {
  try {
    const document = parseXml(text, { file, positions: true });
    return new SourceNode(document, document.root, report);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const { code, message, position } = error;
    const excerpt = excerptOf(text, position.line);
    report({ code: String(code), severity: 'error', message, position, excerpt });
    return undefined;
  }
}

function needed(node: SourceNode, local: string): SourceNode | undefined {
  const child = node.child(local);
  if (!child) node.error(`<${node.local}> needs <${local}>`, { code: 'MR_UNIT_TEST_CHILD' });
  return child;
}

/** Artifacts that stand in the suite, or of which the path does. */
function filesOf(nodes: readonly SourceNode[], file: string): ArtifactFile[] {
  return nodes.flatMap((node) => {
    if (node.children().length > 0) return [inlineDocument(node, file)];
    const named = readNamedFile(node, file);
    return named ? [{ file: named.file, text: named.content.toString('utf8') }] : [];
  });
}

function registryOf(artifacts: SourceNode, file: string): PackedResource[] {
  const nodes = artifacts.child('registry-resources')?.childrenNamed('registry-resource') ?? [];
  return nodes.flatMap((node) => {
    node.knowOnlyChildren(['file-name', 'artifact', 'registry-path', 'media-type']);
    const [name, folder, artifact] = ['file-name', 'registry-path', 'artifact'].map((local) => needed(node, local));
    if (!name || !folder || !artifact) return [];
    const content = contentOf(artifact, file);
    if (!content) return [];
    const path = `${folder.text().replace(/\/+$/, '')}/${name.text()}`;
    return [{ path: path.startsWith('/') ? path : `/${path}`, content, properties: new Map() }];
  });
}

/** The content of a resource: in the suite, or in a file that it names. */
function contentOf(node: SourceNode, file: string): Uint8Array | undefined {
  const isPath = node.children().length === 0 && !/[\r\n<]/.test(node.text());
  return isPath ? readNamedFile(node, file)?.content : Buffer.from(blockText(node) ?? '');
}

function readCase(node: SourceNode, index: number): TestCase {
  node.knowOnly(['name']);
  node.knowOnlyChildren(['input', 'assertions']);
  const input = node.child('input');
  input?.knowOnlyChildren(['request-path', 'request-method', 'request-protocol', 'payload', 'properties']);
  const payload = input?.child('payload');
  const protocol = input?.child('request-protocol');
  const scheme = protocol?.text().toLowerCase() ?? 'http';
  if (scheme !== 'http' && scheme !== 'https') {
    protocol?.error(`<request-protocol> must be http or https; found "${scheme}"`, { code: 'MR_UNIT_TEST_PROTOCOL' });
  }
  const assertions = needed(node, 'assertions')?.children() ?? [];
  return {
    name: node.attribute('name') ?? `test case ${index + 1}`,
    position: node.position(),
    path: input?.child('request-path')?.text() ?? '',
    method: input?.child('request-method')?.text().toUpperCase(),
    scheme: scheme === 'https' ? 'https' : 'http',
    payload: payload && blockText(payload),
    properties: input?.child('properties')?.childrenNamed('property').map(readProperty) ?? [],
    assertions: assertions.flatMap((assertion) => readAssertion(assertion) ?? []),
  };
}

function readProperty(node: SourceNode): InputProperty {
  node.knowOnly(['name', 'value', 'scope']);
  const scope = node.choice('scope', ['default', 'axis2', 'transport'], 'default');
  return { name: node.required('name'), value: node.rawAttribute('value') ?? '', scope };
}

function readAssertion(node: SourceNode): Assertion | undefined {
  const type = node.local;
  if (type !== 'assertEquals' && type !== 'assertNotNull') {
    node.error(`an assertion must be assertEquals or assertNotNull; found <${type}>`, {
      code: 'MR_UNIT_TEST_ASSERTION',
    });
    return undefined;
  }
  const source = needed(node, 'actual');
  const expected = type === 'assertEquals' ? needed(node, 'expected') : undefined;
  const actual = source && readActualOf(source);
  if (!actual) return undefined;
  const message = node.child('message')?.text() ?? '';
  return { type, actual, expected: expected && (blockText(expected) ?? ''), message, position: node.position() };
}

function readActualOf(node: SourceNode): Assertion['actual'] | undefined {
  try {
    const actual = readActual(node.text(), node.namespaces());
    const known = '$body, $ctx:NAME, $axis2:NAME, $trp:NAME, $statusCode, $httpVersion or ${EXPRESSION}';
    if (!actual) node.error(`<actual> must be ${known}; found "${node.text()}"`, { code: 'MR_UNIT_TEST_ACTUAL' });
    return actual;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    node.error(error.message, { code: String(error.code) });
    return undefined;
  }
}
