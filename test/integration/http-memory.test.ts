import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { createHttpSender, type HttpSender } from '#transport';
import { generatedBody, listen, originOf, respondedTo } from './http-support.ts';

const chunk = Buffer.alloc(65_536, 7);
/** `MILLRACE_BODY_BYTES=5e9` is the size that the project promises. */
const bodyBytes = Number(process.env['MILLRACE_BODY_BYTES'] ?? 300e6);
const chunks = Math.ceil(bodyBytes / chunk.length);
const warmUpChunks = 3_000;
const allowedGrowth = 30e6;
const idleConnections = Number(process.env['MILLRACE_IDLE_CONNECTIONS'] ?? 8_000);
const allowedForIdle = 120e6;

/** A proxy in a process of its own, so that its memory alone is seen. */
class Proxy implements AsyncDisposable {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async start(origin: string): Promise<Proxy> {
    const program = join(import.meta.dirname, '../helpers/pass-through.ts');
    const child = fork(program, [origin], { execArgv: ['--expose-gc'] });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new Proxy(child, port);
  }

  async memory(): Promise<number> {
    this.#child.send('memory');
    const [{ rss }] = (await once(this.#child, 'message')) as [{ rss: number }];
    return rss;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.disconnect();
    await once(this.#child, 'exit');
  }
}

/** Sends a body there and back; gives the bytes that came back and the most memory that the proxy had meanwhile. */
async function pass(sender: HttpSender, proxy: Proxy, declared: number | undefined, count: number) {
  const body = generatedBody(chunk, count, declared === undefined ? undefined : count * chunk.length);
  const response = await respondedTo(sender, { origin: `http://127.0.0.1:${proxy.port}`, method: 'POST', body });
  let received = 0;
  let isOver = false;
  const over = new Promise<void>((resolve, reject) => {
    response.body?.pipe({
      write(part) {
        received += part.length;
        return true;
      },
      end: resolve,
      fail: reject,
    });
  }).finally(() => (isOver = true));
  let peak = 0;
  while (!isOver) {
    peak = Math.max(peak, await proxy.memory());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await over;
  return { received, peak };
}

for (const framing of ['sized', 'chunked'] as const) {
  test(`${(bodyBytes / 1e6).toFixed(0)} MB pass both ways, ${framing}, without being held in memory`, async (t) => {
    await using sender = createHttpSender();
    await using backEnd = await listen((request, responder) => {
      responder.respond({ status: 200, headers: [] }, request.body);
    });
    await using proxy = await Proxy.start(originOf(backEnd));
    const declared = framing === 'sized' ? bodyBytes : undefined;
    // The collector has its habits; what counts is that more bytes need no more memory.
    const first = await pass(sender, proxy, declared, warmUpChunks);
    const second = await pass(sender, proxy, declared, chunks);
    assert.equal(second.received, chunk.length * chunks);
    t.diagnostic(
      `${((second.peak - first.peak) / 1e6).toFixed(1)} MB more than for ${((warmUpChunks * chunk.length) / 1e6).toFixed(0)} MB`,
    );
    assert.ok(second.peak - first.peak < allowedGrowth, `memory grew by ${second.peak - first.peak} bytes`);
  });
}

test(`${idleConnections} idle connections take less than ${allowedForIdle / 1e6} MB`, async (t) => {
  if (openFiles() < idleConnections + 200) return t.skip(`the system allows ${openFiles()} open files only`);
  await using proxy = await Proxy.start('http://127.0.0.1:9');
  const before = await proxy.memory();
  const sockets: Socket[] = [];
  try {
    while (sockets.length < idleConnections) sockets.push(...(await openIdle(proxy.port, 100)));
    const after = await proxy.memory();
    t.diagnostic(`${((after - before) / 1e6).toFixed(1)} MB`);
    assert.ok(after - before < allowedForIdle, `memory grew by ${after - before} bytes`);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

/** Connections that have had one answer and wait for their next request. */
function openIdle(port: number, count: number): Promise<Socket[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(port, '127.0.0.1');
      socket.write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(socket, 'data');
      return socket;
    }),
  );
}

/** Most files that this process may have open. */
function openFiles(): number {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  const limit = report.userLimits?.open_files?.soft ?? 'unlimited';
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit);
}
