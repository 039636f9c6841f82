import { sign } from 'node:crypto';
import type { SigningKey } from './signing-keys.ts';

/** First parts of tokens, by key and type: they are the same for every token. */
const headers = new WeakMap<SigningKey, Map<string, string>>();

/**
 * Signs claims with a key of ours (RFC 7515 §3.1, RFC 7518 §3). RSA takes its time on another thread; a signature on a
 * curve takes less than handing it over would.
 *
 * @param type the `typ` of the header; left out when absent
 * @throws what the key throws that cannot sign
 */
export function signJwt(claims: Readonly<Record<string, unknown>>, key: SigningKey, type = ''): Promise<string> {
  const signed = `${headerOf(key, type)}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  const bytes = Buffer.from(signed, 'latin1');
  return new Promise((resolve, reject) => {
    if (key.algorithm === 'ES256') {
      const signature = sign('sha256', bytes, { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
      resolve(`${signed}.${signature.toString('base64url')}`);
      return;
    }
    sign('sha256', bytes, key.privateKey, (error, signature) => {
      if (error) reject(error);
      else resolve(`${signed}.${signature.toString('base64url')}`);
    });
  });
}

function headerOf(key: SigningKey, type: string): string {
  let ofKey = headers.get(key);
  if (!ofKey) {
    ofKey = new Map();
    headers.set(key, ofKey);
  }
  let text = ofKey.get(type);
  if (text === undefined) {
    const header = { alg: key.algorithm, kid: key.id, ...(type !== '' && { typ: type }) };
    text = Buffer.from(JSON.stringify(header)).toString('base64url');
    ofKey.set(type, text);
  }
  return text;
}
