import type { SchemaBuilder } from '#rest';
import type { Client } from './client.ts';

/**
 * What administrators decide of a client, and registration cannot: members of the clients API by the names that they
 * have there (identity 2.2, 2.8, 3.4, 4.1, 4.2, 4.8).
 */
export interface ClientSettings {
  readonly saas_application?: boolean | undefined;
  readonly skip_login_consent?: boolean | undefined;
  readonly skip_logout_consent?: boolean | undefined;
  /** Null leaves it to the server. */
  readonly renew_refresh_token?: boolean | null | undefined;
  readonly audiences?: readonly string[] | undefined;
  readonly claims?: readonly string[] | undefined;
  readonly scope_validators?: readonly string[] | undefined;
}

/** The members with their rules, for the body of a request and for the OpenAPI document. */
export function settingsShape(z: SchemaBuilder) {
  const names = z.array(z.string().min(1).max(500)).max(100);
  return {
    saas_application: z.boolean().optional().describe('Users of other tenants may sign in to it'),
    skip_login_consent: z.boolean().optional().describe('Users are not asked whether they agree'),
    skip_logout_consent: z.boolean().optional().describe('Users are not asked whether they want to sign out'),
    renew_refresh_token: z
      .boolean()
      .nullable()
      .optional()
      .describe('Whether a refresh token gives another one; null leaves it to oauth.token_renewal'),
    audiences: names.optional().describe('Further audiences of its tokens'),
    claims: names.optional().describe('Claims of OpenID Connect that it gets; all of the granted scopes when empty'),
    scope_validators: names
      .optional()
      .describe('What checks its scopes: "Role based scope validator" and classes of [millrace.class_map]'),
  };
}

const settingNames: ReadonlySet<string> = new Set<keyof ClientSettings>([
  'saas_application',
  'skip_login_consent',
  'skip_logout_consent',
  'renew_refresh_token',
  'audiences',
  'claims',
  'scope_validators',
]);

/** Divides what was sent into settings and metadata. */
export function divideSettings(body: Readonly<Record<string, unknown>> & ClientSettings): {
  readonly settings: ClientSettings;
  readonly metadata: Readonly<Record<string, unknown>>;
} {
  const { settings = [], metadata = [] } = Object.groupBy(Object.entries(body), ([name]) =>
    settingNames.has(name) ? 'settings' : 'metadata',
  );
  return { settings: Object.fromEntries(settings), metadata: Object.fromEntries(metadata) };
}

/** The facts of a client that settings change: those that are given. */
export function settingFacts(settings: ClientSettings): Partial<Client> {
  const { saas_application: isSaas, skip_login_consent: skipsConsent, audiences, claims } = settings;
  const { skip_logout_consent: skipsLogoutConsent, scope_validators: scopeValidators } = settings;
  const { renew_refresh_token: renews } = settings;
  return {
    ...(isSaas !== undefined && { isSaas }),
    ...(skipsConsent !== undefined && { skipsConsent }),
    ...(skipsLogoutConsent !== undefined && { skipsLogoutConsent }),
    ...(renews !== undefined && { renewsRefreshToken: renews ?? undefined }),
    ...(audiences !== undefined && { audiences }),
    ...(claims !== undefined && { claims }),
    ...(scopeValidators !== undefined && { scopeValidators }),
  };
}

/** The settings of a client, all of them. */
export function describeSettings(client: Client): Required<ClientSettings> {
  return {
    saas_application: client.isSaas,
    skip_login_consent: client.skipsConsent,
    skip_logout_consent: client.skipsLogoutConsent,
    renew_refresh_token: client.renewsRefreshToken ?? null,
    audiences: client.audiences,
    claims: client.claims,
    scope_validators: client.scopeValidators,
  };
}
