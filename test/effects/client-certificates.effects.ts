import type { Config } from '#config';
import { createHandClock } from '../helpers/hand-clock.ts';
import { writePkcs12 } from '#keystore';
import { openClientRevocation } from '../../src/server/client-revocation.ts';
import { answerOcsp, issue, startRevocationServer, type Holder } from '../helpers/test-authority.ts';
import type { EffectRow } from './effect-row.ts';
import { apiOf, inServer, outcome, ports } from './effect-server.ts';

const path = 'transport.passthru_https.listener.cert_revocation_validation';
const section = '[transport.passthru_https]\n';
const given = `${section}listener.cert_revocation_validation.enable = true\n`;
const root = await issue({ name: 'root', isAuthority: true });
const clients = {
  'conf/security/clients.p12': writePkcs12([{ alias: 'root', certificatePems: [root.certificatePem] }], 'clients'),
};

/** What a check of the configuration says of a certificate: `good` or the code of a refusal. */
async function checked(config: Config, chain: readonly Holder[]): Promise<string> {
  await using revocation = openClientRevocation(config);
  try {
    await revocation.ofListener?.check({ chain: chain.map(({ x509 }) => x509), trusted: [root.x509] });
    return 'good';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

export const rows: readonly EffectRow[] = [
  {
    key: `${path}.enable`,
    first: false,
    second: true,
    given: ports.replace(
      section,
      `${section}listener.trust_store.file_name = "clients.p12"\nlistener.trust_store.password = "clients"\n`,
    ),
    async observe(_, text) {
      await using server = await startRevocationServer();
      server.answer = (question) => answerOcsp(question, { issuer: root, status: 'revoked' });
      const { keyPem: key, certificatePem: cert } = await issue({
        name: 'client',
        issuer: root,
        responder: server.responder,
      });
      return await inServer(text, { ...clients, ...apiOf('<respond/>') }, (running) =>
        outcome(`${running.url('API HTTPS')}/t`, { tls: { key, cert } }),
      );
    },
  },
  {
    key: `${path}.cache_size`,
    first: 0,
    second: 10,
    given,
    async observe(config) {
      await using server = await startRevocationServer();
      server.answer = (question) => answerOcsp(question, { issuer: root });
      const client = await issue({ name: 'client', issuer: root, responder: server.responder });
      await using revocation = openClientRevocation(config);
      for (let visit = 0; visit < 3; visit++) {
        await revocation.ofListener?.check({ chain: [client.x509], trusted: [root.x509] });
      }
      return server.asked.responder;
    },
  },
  {
    key: `${path}.cache_delay`,
    first: 20,
    second: 120,
    given,
    async observe(config) {
      await using server = await startRevocationServer();
      server.answer = (question) => answerOcsp(question, { issuer: root, nextUpdate: 600_000 });
      const client = await issue({ name: 'client', issuer: root, responder: server.responder });
      const clock = createHandClock();
      await using revocation = openClientRevocation(config, clock);
      await revocation.ofListener?.check({ chain: [client.x509], trusted: [root.x509] });
      clock.move(1_800_000);
      return revocation.ofListener?.kept;
    },
  },
  {
    key: `${path}.allow_full_cert_chain_validation`,
    first: true,
    second: false,
    given,
    async observe(config) {
      await using server = await startRevocationServer();
      const { responder } = server;
      const middle = await issue({ name: 'middle', issuer: root, isAuthority: true });
      const client = await issue({ name: 'client', issuer: middle, responder });
      server.answer = (question) => answerOcsp(question, { issuer: middle });
      return await checked(config, [client, middle]);
    },
  },
  {
    key: `${path}.allow_cert_expiry_validation`,
    first: true,
    second: false,
    given,
    async observe(config) {
      await using server = await startRevocationServer();
      server.answer = (question) => answerOcsp(question, { issuer: root });
      return await checked(config, [
        await issue({ name: 'client', issuer: root, responder: server.responder, days: -1 }),
      ]);
    },
  },
];
