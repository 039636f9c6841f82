import { createHash, randomBytes } from 'node:crypto';
import { jsonResponse, serveRest } from '#rest';
import { startHttpListener, type HttpListener } from '#transport';

/** A runtime's management API as far as the dashboard uses it, without a runtime behind it. */
export interface FakeRuntime extends AsyncDisposable {
  readonly managementUrl: string;
  /** Every path that was asked for, with its method. */
  readonly calls: string[];
  /** Passwords that were sent here. */
  readonly credentials: string[];
  artifacts: readonly FakeArtifact[];
  /** Stops answering, as behind a broken network; the listener stays. */
  isCutOff: boolean;
  beat(
    dashboardUrl: string,
    facts: { group?: string; node: string; interval?: number; secret?: string },
  ): Promise<Response>;
}

export interface FakeArtifact {
  readonly kind: string;
  readonly name: string;
  readonly configuration: string;
  readonly state?: string;
  readonly tracing?: string;
  readonly stats?: string;
}

export interface FakeRuntimeOptions {
  readonly artifacts?: readonly FakeArtifact[];
  /** Without the bulk call, as the original. */
  readonly isOriginal?: boolean;
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly users?: Readonly<Record<string, { readonly password: string; readonly isAdmin: boolean }>>;
  /** Answers for `millrace/…` paths and others, by path; a function is asked each time, with the query. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

const paths: Readonly<Record<string, readonly [path: string, parameter: string]>> = {
  api: ['apis', 'apiName'],
  endpoint: ['endpoints', 'endpointName'],
  sequence: ['sequences', 'sequenceName'],
  proxy: ['proxy-services', 'proxyServiceName'],
};

type Asked = (query: URLSearchParams) => unknown;

/** What is answered without being remembered. */
const plain = /^(?:millrace\/stored-messages\/.*|applications|server|roles|users|configs|logging)$/;

/** Starts one on a free port of the loopback address. */
export async function startFakeRuntime(options: FakeRuntimeOptions = {}): Promise<FakeRuntime> {
  const users = options.users ?? { admin: { password: 'runtime-secret', isAdmin: true } };
  const tokens = new Set<string>();
  const known = (request: Request): boolean => {
    const token = /^Bearer (.+)$/.exec(request.headers.get('Authorization') ?? '')?.[1];
    return token !== undefined && tokens.has(token);
  };
  const login = (request: Request): Response => {
    const [name = '', password = ''] = Buffer.from((request.headers.get('Authorization') ?? '').slice(6), 'base64')
      .toString()
      .split(':');
    runtime.credentials.push(password);
    const user = users[name];
    if (user?.password !== password) return new Response(null, { status: 401 });
    const claims = Buffer.from(JSON.stringify({ sub: name, scope: user.isAdmin ? 'admin' : 'default' }));
    const token = `${randomBytes(4).toString('hex')}.${claims.toString('base64url')}.x`;
    tokens.add(token);
    return jsonResponse({ AccessToken: token });
  };
  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const path = url.pathname.replace('/management/', '');
    runtime.calls.push(`${request.method} ${path}`);
    if (url.searchParams.has('q')) runtime.calls.push(`${request.method} ${path}${url.search}`);
    // Nothing comes back: the caller has to give up by itself.
    if (runtime.isCutOff) return new Promise<Response>(() => undefined);
    if (path === 'login') return login(request);
    if (!known(request)) return new Response(null, { status: 401 });
    if (path === 'server' && request.method === 'GET')
      return jsonResponse({ productName: 'Fake', productVersion: '1.0' });
    if (request.method !== 'GET' && plain.test(path)) return jsonResponse({ Message: 'done' });
    if (request.method === 'POST' && !path.startsWith('millrace/'))
      return change(path, (await request.json()) as Record<string, string>);
    if (path === 'artifacts' && !options.isOriginal) return bulk(request, url);
    const given = options.answers?.[path];
    if (given !== undefined)
      return jsonResponse(typeof given === 'function' ? (given as Asked)(url.searchParams) : given);
    const kind = Object.keys(paths).find((each) => paths[each]?.[0] === path);
    if (kind === undefined)
      return jsonResponse(
        path === 'applications' ? {} : { count: 0, list: [] },
        path.startsWith('millrace') || path === 'artifacts' ? 404 : 200,
      );
    const name = url.searchParams.get(paths[kind]?.[1] ?? '');
    const own = runtime.artifacts.filter((artifact) => artifact.kind === kind);
    const one = own.find((artifact) => artifact.name === name);
    return jsonResponse(name === null ? { count: own.length, list: own.map(({ name }) => ({ name })) } : one);
  };
  const change = (path: string, body: Record<string, string>): Response => {
    const kind = Object.keys(paths).find((each) => paths[each]?.[0] === path);
    runtime.artifacts = runtime.artifacts.map((artifact) =>
      artifact.kind === kind && artifact.name === body['name']
        ? {
            ...artifact,
            ...(body['status'] && { state: body['status'] }),
            ...(body['trace'] && { tracing: `${body['trace']}d` }),
            ...(body['statistics'] && { stats: `${body['statistics']}d` }),
          }
        : artifact,
    );
    return jsonResponse({ Message: `${body['name']} was changed` });
  };
  const bulk = (request: Request, url: URL): Response => {
    const list = runtime.artifacts.map((artifact) => {
      const item = { key: `${artifact.kind}:${artifact.name}`, ...artifact };
      return { ...item, hash: createHash('sha256').update(JSON.stringify(item)).digest('base64url') };
    });
    const tag = `"${createHash('sha256')
      .update(list.map(({ hash }) => hash).join())
      .digest('base64url')}"`;
    if (request.headers.get('If-None-Match') === tag)
      return new Response(null, { status: 304, headers: { ETag: tag } });
    const keys = url.searchParams.getAll('key');
    const fields = url.searchParams.get('fields')?.split(',');
    const chosen = list
      .filter(({ key }) => keys.length === 0 || keys.includes(key))
      .map((item) =>
        fields
          ? Object.fromEntries(Object.entries(item).filter(([name]) => name === 'key' || fields.includes(name)))
          : item,
      );
    return jsonResponse({ count: chosen.length, list: chosen }, 200, { ETag: tag });
  };
  const listener: HttpListener = await startHttpListener(
    { host: '127.0.0.1', port: 0, ...(options.tls ? { tls: options.tls } : {}) },
    serveRest(answer),
  );
  const managementUrl = `${listener.scheme}://127.0.0.1:${listener.port}/management/`;
  const runtime: FakeRuntime = {
    managementUrl,
    calls: [],
    credentials: [],
    artifacts: options.artifacts ?? [],
    isCutOff: false,
    beat: (dashboardUrl, { group = 'default', node, interval = 10, secret }) =>
      fetch(`${dashboardUrl}/dashboard/api/heartbeat`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(secret === undefined ? {} : { Authorization: `Bearer ${secret}` }),
        },
        body: JSON.stringify({ product: 'mi', groupId: group, nodeId: node, interval, mgtApiUrl: managementUrl }),
      }),
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
  return runtime;
}

/** An API and an endpoint. */
export const someArtifacts: readonly FakeArtifact[] = [
  {
    kind: 'api',
    name: 'Orders',
    configuration: '<api name="Orders" context="/order"/>',
    stats: 'disabled',
    tracing: 'disabled',
  },
  { kind: 'endpoint', name: 'Stock', configuration: '<endpoint name="Stock"/>', state: 'active' },
];

/** So many artifacts of four kinds, with sources of a usual size. */
export function manyArtifacts(count: number): FakeArtifact[] {
  const kinds = Object.keys(paths);
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[index % kinds.length] ?? 'api';
    const name = `${kind}-${String(index).padStart(4, '0')}`;
    const steps = Array.from({ length: 8 }, (_, step) => `  <property name="p${step}" value="${index}"/>`).join('\n');
    return { kind, name, configuration: `<${kind} name="${name}">\n${steps}\n</${kind}>`, state: 'active' };
  });
}
