import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '#core';

/** What the tokens between this runtime and the control plane are made with (management 2.3). */
export interface ControlPlaneTokenSettings {
  /** `KEYID.MATERIAL`, or the material alone. */
  readonly secret: string;
  readonly issuer: string;
  readonly audience: string;
  readonly scope: string;
  /** Milliseconds for which an own token is good. */
  readonly lifetime: number;
  /** Milliseconds by which the clock of the control plane may differ. */
  readonly skew: number;
}

/** Tokens of both directions, signed with the shared secret. */
export interface ControlPlaneTokens {
  /** The token of this runtime; the same one until shortly before it ends. */
  current(): string;
  /** Forgets the current one, which was refused. */
  renew(): void;
  /** Who calls with a token of the control plane; undefined when it is none, or is over. */
  callerOf(token: string): string | undefined;
}

/** A token is replaced so many milliseconds before its end. */
const reserve = 5 * 60_000;

export function createControlPlaneTokens(settings: ControlPlaneTokenSettings, clock: Clock): ControlPlaneTokens {
  const dot = settings.secret.indexOf('.');
  const keyId = dot < 0 ? '' : settings.secret.slice(0, dot);
  const material = settings.secret.slice(dot + 1);
  const signatureOf = (text: string): Buffer => createHmac('sha256', material).update(text).digest();
  let kept: { readonly token: string; readonly until: number } | undefined;
  return {
    current() {
      const now = clock.now();
      if (kept && now < kept.until - Math.min(reserve, settings.lifetime / 2)) return kept.token;
      const until = now + settings.lifetime;
      const header = encode({ alg: 'HS256', typ: 'JWT', kid: keyId });
      const claims = encode({
        iss: settings.issuer,
        aud: settings.audience,
        iat: Math.floor(now / 1000),
        exp: Math.floor(until / 1000),
        scope: settings.scope,
      });
      const text = `${header}.${claims}`;
      kept = { token: `${text}.${signatureOf(text).toString('base64url')}`, until };
      return kept.token;
    },
    renew() {
      kept = undefined;
    },
    callerOf(token) {
      const [header = '', claims = '', signature = '', ...rest] = token.split('.');
      if (rest.length > 0 || decode(header)?.['alg'] !== 'HS256') return undefined;
      const given = Buffer.from(signature, 'base64url');
      const expected = signatureOf(`${header}.${claims}`);
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const { exp, nbf, sub, iss } = decode(claims) ?? {};
      const seconds = clock.now() / 1000;
      const skew = settings.skew / 1000;
      if (typeof exp !== 'number' || exp + skew <= seconds) return undefined;
      if (typeof nbf === 'number' && nbf - skew > seconds) return undefined;
      return [sub, iss].find((name): name is string => typeof name === 'string' && name !== '') ?? 'icp-service';
    },
  };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // What is no JSON is no token of ours.
    return undefined;
  }
}
