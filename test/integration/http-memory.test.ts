import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { createHttpSender, type HttpListener, type HttpSender } from '#transport';
import { generatedBody, listen, originOf, respondedTo } from './http-support.ts';

const chunk = Buffer.alloc(65_536, 7);
const chunks = 3_200; // 200 MB
/** Client, proxy and back end share this process; what a first pass leaves behind does not count. */
const allowedGrowth = 60_000_000;

/** Sends the body there and back; gives the bytes that came back and the peak of the resident memory. */
async function pass(sender: HttpSender, proxy: HttpListener, length?: number) {
  const body = generatedBody(chunk, chunks, length);
  const response = await respondedTo(sender, { origin: originOf(proxy), method: 'POST', body });
  let peak = 0;
  let received = 0;
  await new Promise<void>((resolve, reject) => {
    response.body?.pipe({
      write(part) {
        received += part.length;
        peak = Math.max(peak, process.memoryUsage.rss());
        return true;
      },
      end: resolve,
      fail: reject,
    });
  });
  return { received, peak };
}

for (const length of [chunk.length * chunks, undefined]) {
  const framing = length === undefined ? 'chunked' : 'sized';
  test(`200 MB pass through a listener and a sender both ways, ${framing}, without being held in memory`, async () => {
    await using sender = createHttpSender();
    await using backEnd = await listen((request, responder) => {
      responder.respond({ status: 200, headers: request.headers }, request.body);
    });
    await using proxy = await listen(({ method, target, headers, body }, responder) => {
      sender.send(
        { origin: originOf(backEnd), method, target, headers, body },
        {
          onResponse: (response) => responder.respond(response, response.body),
          onError: () => responder.respond({ status: 502, headers: [] }, null),
        },
      );
    });
    const first = await pass(sender, proxy, length);
    const second = await pass(sender, proxy, length);
    assert.equal(first.received, chunk.length * chunks);
    assert.equal(second.received, chunk.length * chunks);
    assert.ok(second.peak - first.peak < allowedGrowth, `memory grew by ${second.peak - first.peak} bytes`);
  });
}
