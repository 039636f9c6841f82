import { settingFacts, type Administration, type Client, type ClientSettings } from '#identity';
import { listOf, type Rows } from './administration.ts';

const renewals = ['yes', 'no', 'server'] as const;

/** What an administrator decides of a client; lists are divided by commas, and empty ones are given as "". */
export const settingOptions = {
  saas: { type: 'boolean' as const, description: 'Users of other tenants may sign in to it' },
  'skip-consent': { type: 'boolean' as const, description: 'Users are not asked whether they agree' },
  'skip-logout-consent': { type: 'boolean' as const, description: 'Users are not asked whether they want to sign out' },
  'renew-refresh-token': {
    type: 'enum' as const,
    options: [...renewals],
    description: 'Whether a refresh token gives another one',
  },
  audiences: { type: 'string' as const, description: 'Further audiences of its tokens', valueHint: 'NAMES' },
  claims: {
    type: 'string' as const,
    description: 'Claims that it gets; all of the granted scopes when ""',
    valueHint: 'NAMES',
  },
  'scope-validators': { type: 'string' as const, description: 'What checks its scopes', valueHint: 'NAMES' },
};

interface SettingArguments {
  readonly saas?: boolean | undefined;
  readonly 'skip-consent'?: boolean | undefined;
  readonly 'skip-logout-consent'?: boolean | undefined;
  readonly 'renew-refresh-token'?: string | undefined;
  readonly audiences?: string | undefined;
  readonly claims?: string | undefined;
  readonly 'scope-validators'?: string | undefined;
}

/** The facts that the options say, and no others. */
export function settingsOf(args: SettingArguments, { scopes }: Administration): Partial<Client> {
  const given = (text: string | undefined): readonly string[] | undefined =>
    text === undefined ? undefined : listOf(text);
  const renews = args['renew-refresh-token'];
  const settings: ClientSettings = {
    saas_application: args.saas,
    skip_login_consent: args['skip-consent'],
    skip_logout_consent: args['skip-logout-consent'],
    renew_refresh_token: renews === undefined ? undefined : renews === 'server' ? null : renews === 'yes',
    audiences: given(args.audiences),
    claims: given(args.claims),
    scope_validators: given(args['scope-validators']),
  };
  scopes.validators.check(settings.scope_validators ?? []);
  return settingFacts(settings);
}

/** A client with everything that the commands can change. */
export function describeClient(client: Client): Rows[number] {
  const { renewsRefreshToken: renews } = client;
  return {
    id: client.id,
    name: client.name,
    owner: client.owner,
    grants: client.grantTypes.join(', '),
    redirects: client.redirectUris.join(', '),
    active: client.isActive,
    saas: client.isSaas,
    skipConsent: client.skipsConsent,
    skipLogoutConsent: client.skipsLogoutConsent,
    renewRefreshToken: renews === undefined ? 'server' : renews ? 'yes' : 'no',
    audiences: client.audiences.join(', '),
    claims: client.claims.join(', '),
    scopeValidators: client.scopeValidators.join(', '),
  };
}
