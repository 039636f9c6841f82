import { MillraceError } from '#errors';
import { getHeader, setHeader, type HeaderList } from '#message';
import { defineAdapter, type AdapterTools, type Delivery, type Outcome } from './adapter.ts';
import { exchange, type Answer } from './http-exchange.ts';

const methods: Readonly<Record<string, string>> = { httppost: 'POST', httpput: 'PUT', httpget: 'GET' };
const maximumRedirects = 3;

/** Answers that another attempt may change. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/** `http`: a request to the API of a provider (identity 6.9). */
export const httpAdapter = defineAdapter({
  type: 'http',
  dynamic: ['http.url', 'http.headers', 'http.username', 'http.password'],
  check(properties) {
    const method = properties.get('http.client.method');
    if (method !== undefined && !methods[method.toLowerCase()]) {
      return { key: 'http.client.method', rule: 'must be HttpPost, HttpPut or HttpGet' };
    }
    const port = properties.get('http.proxy.port');
    if (port !== undefined && !isPort(port)) return { key: 'http.proxy.port', rule: 'must be a port' };
    if ((port === undefined) !== (properties.get('http.proxy.host') === undefined)) {
      return { key: 'http.proxy.host', rule: 'and http.proxy.port go together' };
    }
    const headers = properties.get('http.headers');
    const isWrong = headers !== undefined && readHeaders(headers).some(([name]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name));
    return isWrong ? { key: 'http.headers', rule: 'must be pairs NAME: VALUE separated by commas' } : undefined;
  },
  split(values) {
    if (values['http.url']) return [values];
    throw new MillraceError({
      code: 'MR_NOTIFY_RECIPIENT',
      status: 422,
      message: 'The publisher has no http.url; a sender of the tenant, or the file of the publisher, must name one',
    });
  },
  async deliver(delivery, tools) {
    let target = delivery.values['http.url'] ?? '';
    for (let redirects = 0; ; redirects++) {
      if (!URL.canParse(target)) return { kind: 'refused', detail: `"${target}" is no address` };
      const answer = await send(new URL(target), delivery, tools);
      const next = answer.kind === 'answer' ? redirectOf(answer, target) : undefined;
      if (next === undefined || redirects === maximumRedirects) return outcomeOf(answer);
      tools.report?.(`led to ${next} on the same host`);
      target = next;
    }
  },
});

function send(url: URL, delivery: Delivery, tools: AdapterTools): Promise<Answer> {
  const { properties } = delivery.publisher;
  const method = methods[(properties.get('http.client.method') ?? 'HttpPost').toLowerCase()] ?? 'POST';
  const host = properties.get('http.proxy.host');
  const sender = host ? tools.senderThrough({ host, port: Number(properties.get('http.proxy.port')) }) : tools.sender;
  tools.report?.(`${method} ${url.origin}${url.pathname}${host ? ` through ${host}` : ''}`);
  return exchange(
    {
      origin: url.origin,
      method,
      target: url.pathname + url.search,
      headers: headersOf(delivery, method),
      body: method === 'GET' ? null : Buffer.from(delivery.body),
      idleTimeout: tools.patience,
    },
    { sender, clock: tools.clock, patience: tools.patience },
  );
}

function headersOf({ id, contentType, values }: Delivery, method: string): HeaderList {
  const headers: HeaderList = ['Accept', '*/*', 'Idempotency-Key', id];
  if (method !== 'GET') headers.push('Content-Type', contentType);
  const user = values['http.username'];
  if (user) {
    const credentials = Buffer.from(`${user}:${values['http.password'] ?? ''}`).toString('base64');
    headers.push('Authorization', `Basic ${credentials}`);
  }
  for (const [name, value] of readHeaders(values['http.headers'] ?? '')) setHeader(headers, name, value);
  return headers;
}

/** `Name: value` pairs; a piece without a colon belongs to the value before it. */
function readHeaders(text: string): (readonly [name: string, value: string])[] {
  const pairs: [string, string][] = [];
  for (const piece of text.split(',')) {
    const colon = piece.indexOf(':');
    const last = pairs.at(-1);
    if (colon >= 0) pairs.push([piece.slice(0, colon).trim(), piece.slice(colon + 1).trim()]);
    else if (last) last[1] += `,${piece}`;
    else if (piece.trim() !== '') pairs.push([piece.trim(), '']);
  }
  return pairs;
}

/** Where an answer leads, as long as it keeps method, body and host: credentials go nowhere else. */
function redirectOf({ status, headers }: Answer & { kind: 'answer' }, from: string): string | undefined {
  const location = getHeader(headers, 'Location');
  if ((status !== 307 && status !== 308) || location === undefined || !URL.canParse(location, from)) return undefined;
  const next = new URL(location, from);
  return next.origin === new URL(from).origin ? next.href : undefined;
}

function outcomeOf(answer: Answer): Outcome {
  if (answer.kind === 'failure') return { kind: 'failed', detail: answer.reason };
  const { status, headers, text } = answer;
  const detail = `answered with status ${status}`;
  if (status >= 200 && status < 300) return { kind: 'sent', detail, answer: text };
  if (status < 500 && !passing.has(status)) {
    const leads = status >= 300 && status < 400 ? ', which leads elsewhere and is not followed' : '';
    return { kind: 'refused', detail: detail + leads, answer: text };
  }
  const seconds = Number(getHeader(headers, 'Retry-After'));
  return { kind: 'failed', detail, answer: text, ...(seconds > 0 && { after: seconds * 1000 }) };
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536;
}
