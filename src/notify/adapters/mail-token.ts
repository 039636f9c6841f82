import type { AdapterTools } from './adapter.ts';
import { exchange } from './http-exchange.ts';
import type { ClientGrant } from './mail-session.ts';

/** Milliseconds before its end at which a token is not used any more. */
const reserve = 30_000;
const capacity = 100;
const kept = new Map<string, { readonly value: string; readonly until: number }>();

/** A token of the client credentials grant for signing in to a mail server, kept until it ends. */
export async function accessTokenFor(
  grant: ClientGrant,
  tools: AdapterTools,
): Promise<{ readonly value: string } | { readonly failure: string }> {
  const key = keyOf(grant);
  const known = kept.get(key);
  if (known && known.until > tools.clock.now()) return known;
  if (!URL.canParse(grant.endpoint)) return { failure: `mail.smtp.tokenEndpoint is no address: "${grant.endpoint}"` };
  const url = new URL(grant.endpoint);
  tools.report?.(`fetch a token from ${url.origin}${url.pathname}`);
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (grant.scopes !== undefined) form.set('scope', grant.scopes);
  const credentials = Buffer.from(`${encodeURIComponent(grant.clientId)}:${encodeURIComponent(grant.clientSecret)}`);
  const answer = await exchange(
    {
      origin: url.origin,
      method: 'POST',
      target: url.pathname + url.search,
      headers: [
        'Authorization',
        `Basic ${credentials.toString('base64')}`,
        'Content-Type',
        'application/x-www-form-urlencoded',
        'Accept',
        'application/json',
      ],
      body: Buffer.from(form.toString()),
      idleTimeout: tools.patience,
    },
    { sender: tools.sender, clock: tools.clock, patience: tools.patience },
  );
  if (answer.kind === 'failure') return { failure: `the token endpoint: ${answer.reason}` };
  const token = tokenOf(answer.text);
  if (answer.status !== 200 || !token) return { failure: `the token endpoint answered with status ${answer.status}` };
  if (kept.size >= capacity) kept.clear();
  kept.set(key, { value: token.value, until: tools.clock.now() + token.lifetime - reserve });
  return token;
}

/** Drops a token that a mail server refused, so that the next attempt fetches another one. */
export function forgetToken(grant: ClientGrant): void {
  kept.delete(keyOf(grant));
}

function keyOf(grant: ClientGrant): string {
  return JSON.stringify(grant);
}

function tokenOf(text: string): { value: string; lifetime: number } | undefined {
  try {
    const { access_token: value, expires_in: seconds } = JSON.parse(text) as Record<string, unknown>;
    return typeof value === 'string' ? { value, lifetime: Number(seconds ?? 300) * 1000 } : undefined;
  } catch {
    return undefined;
  }
}
