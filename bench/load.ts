import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { coreOf } from './machine.ts';
import { pinned } from './process.ts';
import { sendStreams } from './streams.ts';

const run = promisify(execFile);

/** What one run of the load generator measured. */
export interface Measured {
  readonly requests: number;
  readonly seconds: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Answers other than 2xx and 3xx, time-outs and broken connections. */
  readonly errors: number;
}

/** TLS with HTTP/1.1, or HTTP/2 over TLS. */
export type Wire = 'tls' | 'h2';

/** One request, repeated. */
export interface Load {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Bytes of the request's body, which is JSON when `body` says nothing else. */
  readonly bodyBytes: number;
  readonly body?: { readonly text: string; readonly type: string };
  /** Lua that makes each request, in place of the one above. */
  readonly script?: string;
  readonly connections: number;
  readonly seconds: number;
  /** What is spoken; for TLS `url` says so already. */
  readonly wire?: Wire;
}

/** `wrk` calls it when it is done; the figures go out as one line of JSON. */
const report = `
done = function(summary, latency, requests)
  local e = summary.errors
  io.write(string.format('MEASURED {"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"errors":%d}\\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
    e.connect + e.read + e.write + e.status + e.timeout))
end
`;

/** Sends the request over as many connections as it says, each as soon as its last one is answered, by `wrk` or, for HTTP/2, by `h2load`. */
export async function sendLoad(load: Load, folder: string): Promise<Measured> {
  if (load.wire === 'h2') return sendStreams(load, folder);
  const script = join(folder, 'load.lua');
  const text = load.body?.text ?? `{"text":"${'x'.repeat(Math.max(0, load.bodyBytes - 11))}"}`;
  const type = load.body?.type ?? 'application/json';
  const request =
    load.script ??
    (load.method === 'POST'
      ? `wrk.method = 'POST'\nwrk.headers['Content-Type'] = '${type}'\nwrk.body = [==[${text}]==]\n`
      : '');
  writeFileSync(script, request + report);
  const args = ['-t1', `-c${load.connections}`, `-d${load.seconds}s`, '-s', script, load.url];
  const [file = '', ...rest] = pinned(coreOf('load'), ['wrk', ...args]);
  const { stdout } = await run(file, rest);
  const line = /^MEASURED (.*)$/m.exec(stdout)?.[1];
  if (line === undefined) throw new Error(`wrk said nothing that can be read:\n${stdout}`);
  return JSON.parse(line) as Measured;
}
