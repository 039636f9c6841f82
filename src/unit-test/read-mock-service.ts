import { excerptOf } from '#errors';
import { parseXml, SourceNode, XmlError } from '#xml';
import { blockText } from './block-text.ts';
import { readNamedFile } from './named-file.ts';
import type { MockMessage, MockResource, MockService } from './suite.ts';

/** The services of a suite that stand in for endpoints; they stand in it, or in files of their own. */
export function readMockServices(root: SourceNode, file: string): MockService[] {
  const nodes = root.child('mock-services')?.childrenNamed('mock-service') ?? [];
  return nodes.flatMap((node) => {
    const source = node.children().length > 0 ? node : readServiceFile(node, file);
    return (source && readService(source)) ?? [];
  });
}

function readServiceFile(node: SourceNode, suite: string): SourceNode | undefined {
  const named = readNamedFile(node, suite);
  if (!named) return undefined;
  const text = named.content.toString('utf8');
  try {
    const document = parseXml(text, { file: named.file, positions: true });
    return new SourceNode(document, document.root, node.report);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const { code, message, position } = error;
    node.report({ code: String(code), severity: 'error', message, position, excerpt: excerptOf(text, position.line) });
    return undefined;
  }
}

/** The port that the original listens on is free to be another one here: nobody but the endpoint knows it. */
function readService(node: SourceNode): MockService | undefined {
  node.knowOnlyChildren(['service-name', 'port', 'context', 'resources']);
  const name = node.child('service-name')?.text() ?? '';
  if (name === '') {
    node.error('<mock-service> needs the name of an endpoint in <service-name>', { code: 'MR_UNIT_TEST_CHILD' });
    return undefined;
  }
  return {
    name,
    context: pathOf(node.child('context')),
    resources: node.child('resources')?.childrenNamed('resource').map(readResource) ?? [],
    position: node.position(),
  };
}

function readResource(node: SourceNode): MockResource {
  node.knowOnlyChildren(['sub-context', 'method', 'request', 'response']);
  const status = node.child('response')?.child('status-code');
  const code = Number(status?.text() ?? '200');
  if (!Number.isInteger(code) || code < 200 || code > 599) {
    status?.error(`<status-code> must be a number from 200 to 599; found "${status.text()}"`, {
      code: 'MR_UNIT_TEST_STATUS',
    });
  }
  return {
    path: pathOf(node.child('sub-context')),
    method: node.child('method')?.text().toUpperCase() ?? 'GET',
    request: readMessage(node.child('request')),
    status: code,
    response: readMessage(node.child('response')),
  };
}

function readMessage(node: SourceNode | undefined): MockMessage {
  const headers = node?.child('headers')?.childrenNamed('header') ?? [];
  const payload = node?.child('payload');
  return {
    headers: headers.map((header) => [header.required('name'), header.rawAttribute('value') ?? '']),
    payload: payload && blockText(payload),
  };
}

/** A path with a slash before and none behind; the empty text for the root. */
function pathOf(node: SourceNode | undefined): string {
  const text = (node?.text() ?? '').replace(/\/+$/, '');
  return text === '' || text.startsWith('/') ? text : `/${text}`;
}
