import { exportJWK, type JWK } from 'jose';
import { createHash } from 'node:crypto';
import { jsonAnswer, type Endpoint } from '../http/endpoint.ts';
import type { SigningKey } from '../keys/signing-keys.ts';
import type { OAuthServices } from './services.ts';

/** `/oauth2/jwks`: the public keys of the tenant (RFC 7517 §5, identity 2.7). */
export function jwksEndpoint({ keys }: Pick<OAuthServices, 'keys'>): Endpoint {
  return {
    path: '/oauth2/jwks',
    methods: ['GET'],
    isOpenToScripts: true,
    async handle({ tenant }) {
      const published = await keys.published(tenant);
      const set = { keys: await Promise.all(published.map(describeKey)) };
      // Verifiers may keep the set: a key is published before it signs and after it has signed.
      return {
        ...jsonAnswer(set),
        headers: ['Content-Type', 'application/json', 'Cache-Control', 'public, max-age=300'],
      };
    },
  };
}

async function describeKey(key: SigningKey): Promise<JWK> {
  const der = key.certificate?.raw;
  return {
    ...(await exportJWK(key.publicKey)),
    use: 'sig',
    alg: key.algorithm,
    kid: key.id,
    ...(der && {
      x5c: [der.toString('base64')],
      'x5t#S256': createHash('sha256').update(der).digest('base64url'),
    }),
  };
}
