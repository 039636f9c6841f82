import { randomUUID } from 'node:crypto';
import { getLogger, type Clock } from '#core';
import { toError } from '#errors';
import { signJwt } from '../keys/sign-jwt.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import type { Session } from '../sessions/session.ts';
import type { IdentitySettings } from '../settings.ts';
import type { Client, Clients } from './client.ts';
import { issuerOf } from './issuer.ts';

const log = getLogger('identity');

/** Sends a form to another server; gives the status of the answer. */
export type PostForm = (url: string, form: URLSearchParams) => Promise<number>;

/** Tells clients that a user has signed out (OpenID Connect Back-Channel Logout 1.0, identity 2.8). */
export interface LogoutNotices extends AsyncDisposable {
  /** Puts a notice for each client of the session in line; failures are only logged. */
  send(session: Session): Promise<void>;
  /** Addresses of frames for the clients that are told through the browser (Front-Channel Logout 1.0). */
  frames(session: Session): Promise<readonly string[]>;
}

export interface NoticeParts {
  readonly clients: Clients;
  readonly keys: SigningKeys;
  readonly clock: Clock;
  readonly settings: IdentitySettings;
  readonly postForm: PostForm;
}

/** Notices under way at the same time, and in line behind them. */
const mostAtOnce = 20;
const longestLine = 1000;
/** Seconds that a notice is good for. */
const lifetime = 120;

export const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

export function createLogoutNotices(parts: NoticeParts): LogoutNotices {
  const line: { readonly client: Client; readonly session: Session }[] = [];
  const running = new Set<Promise<void>>();

  const deliver = async (client: Client, session: Session): Promise<void> => {
    const fields = { client: client.id, url: client.backChannelLogoutUri };
    try {
      const form = new URLSearchParams({ logout_token: await logoutToken(client, session, parts) });
      const status = await parts.postForm(client.backChannelLogoutUri ?? '', form);
      if (status !== 200 && status !== 204) log.warn({ ...fields, status }, 'a client refused a logout notice');
    } catch (error) {
      log.warn({ ...fields, err: toError(error) }, 'a logout notice could not be delivered');
    }
  };

  const advance = (): void => {
    while (running.size < mostAtOnce) {
      const next = line.shift();
      if (!next) return;
      const task = deliver(next.client, next.session).finally(() => {
        running.delete(task);
        advance();
      });
      running.add(task);
    }
  };

  const clientsOf = async (session: Session): Promise<readonly Client[]> => {
    const found = await Promise.all(session.clients.map((id) => parts.clients.findAnywhere(id)));
    return found.filter((client) => client !== undefined);
  };

  return {
    async send(session) {
      for (const client of await clientsOf(session)) {
        if (client.backChannelLogoutUri === undefined) continue;
        if (line.length >= longestLine) log.warn({ client: client.id }, 'the line of logout notices is full');
        else line.push({ client, session });
      }
      advance();
    },
    async frames(session) {
      return (await clientsOf(session)).flatMap(({ frontChannelLogoutUri, tenant }) => {
        if (frontChannelLogoutUri === undefined) return [];
        const address = new URL(frontChannelLogoutUri);
        address.searchParams.set('iss', issuerOf(parts.settings, tenant));
        address.searchParams.set('sid', session.id);
        return [address.href];
      });
    },
    async [Symbol.asyncDispose]() {
      line.length = 0;
      await Promise.all(running);
    },
  };
}

async function logoutToken(client: Client, session: Session, parts: NoticeParts): Promise<string> {
  const key = await parts.keys.current(client.tenant, client.idTokenAlgorithm);
  const now = Math.floor(parts.clock.now() / 1000);
  return signJwt(
    {
      iss: issuerOf(parts.settings, client.tenant),
      sub: session.user.id,
      aud: client.id,
      iat: now,
      exp: now + lifetime,
      jti: randomUUID(),
      sid: session.id,
      events: { [logoutEvent]: {} },
    },
    key,
    'logout+jwt',
  );
}
