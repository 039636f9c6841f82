import { systemClock } from '#core';
import { MillraceError } from '#errors';
import { ask } from '#transport';
import { openKeySender } from '../../src/server/key-sender.ts';
import type { EffectRow } from './effect-row.ts';
import { pair, startBackEnd } from './effect-server.ts';
import { startSilentPort } from './effect-socket.ts';

const tls = { sender: () => ({ ca: [pair.certificatePem] }), onChange: () => ({ [Symbol.dispose]: () => undefined }) };
const limits = { clock: systemClock, patience: 2000, size: 1000 };

/** Connections that were open at the same time while six requests went to two servers. */
async function connectionsAtOnce(config: Parameters<EffectRow['observe']>[0]): Promise<unknown> {
  let open = 0;
  let most = 0;
  const start = () =>
    startBackEnd((_request, response) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        response.end('ok');
      }, 300);
    });
  await using one = await start();
  await using two = await start();
  await using sender = openKeySender(config, tls);
  const questions = [one, one, one, two, two, two].map(({ url }) =>
    ask(sender, { url, method: 'GET', headers: [], body: null }, limits),
  );
  const answers = await Promise.all(questions);
  return { most, statuses: answers.map(({ status }) => status), perServer: one.connections.most };
}

/** The limits of calls to key managers and clients. */
export const rows: readonly EffectRow[] = [
  { key: 'apim.http_client.max_total', first: 1, second: 4, observe: (config) => connectionsAtOnce(config) },
  {
    key: 'apim.http_client.default_max_per_route',
    first: 1,
    second: 3,
    observe: (config) => connectionsAtOnce(config),
  },
  {
    key: 'apim.http_client.connection_timeout',
    first: 100,
    second: -1,
    async observe(config) {
      await using silent = await startSilentPort(1500);
      await using sender = openKeySender(config, tls);
      const question = { url: `https://127.0.0.1:${silent.port}`, method: 'GET', headers: [], body: null };
      return await ask(sender, question, limits).catch((error: unknown) =>
        error instanceof MillraceError ? [error.code, error.detail] : error,
      );
    },
  },
];
