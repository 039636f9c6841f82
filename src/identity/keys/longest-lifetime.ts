import type { Client } from '../oauth/client.ts';
import type { IdentitySettings } from '../settings.ts';

type Lifetimes = Pick<IdentitySettings, 'applicationTokenLifetime' | 'userTokenLifetime' | 'idTokenLifetime'>;

/** Milliseconds that a signed token of the server or of one of the clients may be good; -1 when one may never end. */
export function longestLifetime(settings: Lifetimes, clients: readonly Pick<Client, 'lifetimes'>[]): number {
  const ofServer = [settings.applicationTokenLifetime, settings.userTokenLifetime, settings.idTokenLifetime];
  const ofClients = clients.flatMap(({ lifetimes: { applicationAccessToken, userAccessToken, idToken } }) =>
    [applicationAccessToken, userAccessToken, idToken].filter((each) => each !== undefined).map((each) => each * 1000),
  );
  const all = [...ofServer, ...ofClients];
  return all.some((each) => each < 0) ? -1 : Math.max(...all);
}
