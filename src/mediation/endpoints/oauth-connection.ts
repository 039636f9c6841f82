import type { Proxy, ProxySelector } from '#transport';
import type { SourceNode } from '#xml';
import type { ConnectionSettings, CompileLibrary, MediationSettings } from '../context.ts';
import { resolveDeployValue } from '../shared/deploy-value.ts';

/** Elements of an OAuth block that say how its token server is reached (runtime-core 5.3). */
export const tokenConnectionElements: readonly string[] = [
  'connectionTimeout',
  'connectionRequestTimeout',
  'socketTimeout',
  'useGlobalConnectionTimeoutConfigs',
  'useGlobalProxyConfigs',
  'proxyConfigs',
];

const proxyElements = [
  'proxyHost',
  'proxyPort',
  'proxyUsername',
  'proxyPassword',
  'proxyProtocol',
  'nonProxyHosts',
  'targetProxyHosts',
];

/** The connection settings of an OAuth block; undefined while compiling when it has none. */
export type TokenConnection = (settings: MediationSettings, library: CompileLibrary) => ConnectionSettings | undefined;

/** Reads the connection settings; they are known at deployment, so none of them depends on a message. */
export function readTokenConnection(block: SourceNode): TokenConnection {
  // Every token server has a pool of its own without a limit, so that nobody waits for a connection.
  checkNumber(block.child('connectionRequestTimeout'));
  const connectTimeout = milliseconds(block.child('connectionTimeout'));
  const socketTimeout = milliseconds(block.child('socketTimeout'));
  const usesCommonTimeouts = isTrue(block.child('useGlobalConnectionTimeoutConfigs'));
  const usesCommonProxy = isTrue(block.child('useGlobalProxyConfigs'));
  const own = block.child('proxyConfigs');
  const proxy = own && readProxy(own);
  return (settings, library) => {
    const common = settings.tokenConnection;
    const result: ConnectionSettings = {
      connectTimeout: usesCommonTimeouts ? common?.connectTimeout : connectTimeout,
      socketTimeout: usesCommonTimeouts ? common?.socketTimeout : socketTimeout,
      proxy: usesCommonProxy ? common?.proxy : proxy?.(library),
    };
    return Object.values(result).some((value) => value !== undefined) ? result : undefined;
  };
}

function readProxy(node: SourceNode): ((library: CompileLibrary) => ProxySelector) | undefined {
  node.knowOnlyChildren(proxyElements);
  const text = (local: string): string => node.child(local)?.text() ?? '';
  const protocol = node.child('proxyProtocol');
  if (protocol && !['', 'http'].includes(protocol.text().toLowerCase())) {
    protocol.error(`a proxy is reached over http, found "${protocol.text()}"`);
  }
  const host = text('proxyHost');
  const port = text('proxyPort');
  if (host === '' || port === '') {
    node.error('<proxyConfigs> needs a <proxyHost> and a <proxyPort>', { code: 'MR_ARTIFACT_CHILD' });
    return undefined;
  }
  const isExcluded = hostTest(text('nonProxyHosts'));
  const targets = text('targetProxyHosts');
  const isTarget = targets === '' ? () => true : hostTest(targets);
  const user = text('proxyUsername');
  return (library) => {
    const resolved = (value: string): string => resolveDeployValue(value, library);
    const proxy: Proxy = {
      host: resolved(host),
      port: Number(resolved(port)),
      ...(user === '' ? {} : { credentials: { user: resolved(user), password: resolved(text('proxyPassword')) } }),
    };
    return (_, name) => (isTarget(name) && !isExcluded(name) ? proxy : undefined);
  };
}

/** A test against host patterns separated by `|`, in which `*` stands for any text. */
function hostTest(patterns: string): (host: string) => boolean {
  const tests = patterns
    .split('|')
    .map((pattern) => pattern.trim().toLowerCase())
    .filter((pattern) => pattern !== '')
    .map((pattern) => pattern.split('*'));
  return (host) => tests.some((parts) => matches(host.toLowerCase(), parts));
}

/** Matches the fixed parts of a pattern in their order, the first at the start and the last at the end. */
function matches(host: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return host === first;
  if (!host.startsWith(first) || !host.endsWith(last) || host.length < first.length + last.length) return false;
  let at = first.length;
  const end = host.length - last.length;
  for (const part of rest) {
    const found = host.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** Milliseconds; undefined for -1, which leaves it to the sender. */
function milliseconds(node: SourceNode | undefined): number | undefined {
  const value = checkNumber(node);
  return value !== undefined && value >= 0 ? value : undefined;
}

function checkNumber(node: SourceNode | undefined): number | undefined {
  const text = node?.text() ?? '';
  if (text === '') return undefined;
  if (/^-?\d+$/.test(text)) return Number(text);
  node?.error(`<${node.local}> must be a number of milliseconds, found "${text}"`);
  return undefined;
}

function isTrue(node: SourceNode | undefined): boolean {
  return node?.text().toLowerCase() === 'true';
}
