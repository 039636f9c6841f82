import { MillraceError } from '#errors';
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { jsonOf, type HttpCaller } from './http-caller.ts';
import { asRecord, asText } from './json-shape.ts';
import type { SsoEndpoint, SsoSettings } from './settings.ts';

/** The identity provider: where its endpoints are, and its keys. */
export interface SsoProvider {
  /** @throws MillraceError `MR_SSO_PROVIDER` (502) when the provider does not answer or has no such endpoint */
  endpoint(name: SsoEndpoint): Promise<string>;
  /** The endpoint, or undefined when there is none. */
  findEndpoint(name: SsoEndpoint): Promise<string | undefined>;
  /** Finds the key of a token; the key set is read again when a key is not in it. */
  readonly keys: JWTVerifyGetKey;
}

const metadataNames: Readonly<Record<SsoEndpoint, string>> = {
  authorize: 'authorization_endpoint',
  token: 'token_endpoint',
  jwks: 'jwks_uri',
  userinfo: 'userinfo_endpoint',
  revoke: 'revocation_endpoint',
  introspect: 'introspection_endpoint',
  endSession: 'end_session_endpoint',
};

/** Milliseconds before an unknown key makes the key set be read again. */
const keyPause = 10_000;

/** Makes the provider; its description is read when it is first needed, and again after a failure. */
export function createSsoProvider(settings: SsoSettings, call: HttpCaller): SsoProvider {
  let described: Promise<Readonly<Record<string, unknown>>> | undefined;
  let keySet: { readonly find: JWTVerifyGetKey; readonly at: number } | undefined;

  const read = async (url: string): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await call({ url });
    if (answer.status !== 200) throw providerError(`${url} answered with status ${answer.status}`);
    return asRecord(jsonOf(answer));
  };
  const describe = (): Promise<Readonly<Record<string, unknown>>> => {
    if (settings.discoveryUrl === undefined) return Promise.resolve({});
    described ??= read(settings.discoveryUrl).catch((error: unknown) => {
      described = undefined;
      throw error;
    });
    return described;
  };
  const findEndpoint = async (name: SsoEndpoint): Promise<string | undefined> =>
    settings.endpoints[name] ?? asText((await describe())[metadataNames[name]]);
  const endpoint = async (name: SsoEndpoint): Promise<string> => {
    const url = await findEndpoint(name);
    if (url === undefined) throw providerError(`it names no ${metadataNames[name]}`);
    return url;
  };
  const readKeys = async (): Promise<JWTVerifyGetKey> => {
    const set = (await read(await endpoint('jwks'))) as unknown as JSONWebKeySet;
    const find = createLocalJWKSet(set);
    keySet = { find, at: Date.now() };
    return find;
  };
  return {
    endpoint,
    findEndpoint,
    async keys(header, token) {
      const known = keySet?.find ?? (await readKeys());
      try {
        return await known(header, token);
      } catch (error) {
        if (keySet && Date.now() - keySet.at < keyPause) throw error;
        return (await readKeys())(header, token);
      }
    },
  };
}

export function providerError(message: string): MillraceError {
  return new MillraceError({ code: 'MR_SSO_PROVIDER', status: 502, message: `The identity provider: ${message}` });
}
