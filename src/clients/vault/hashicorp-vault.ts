import { MillraceError, PendingValue } from '#errors';
import type { Clock } from '#core';

/** How a vault is reached and signed in to (config-catalog 2.6). */
export interface VaultOptions {
  /** Such as `https://vault:8200`. */
  readonly address: string;
  /** Sign-in: a token, an AppRole, or a user of the vault's LDAP method. */
  readonly rootToken?: string | undefined;
  readonly roleId?: string | undefined;
  readonly secretId?: string | undefined;
  readonly ldapUsername?: string | undefined;
  readonly ldapPassword?: string | undefined;
  /** Version of the key-value engine; 2 when undefined. */
  readonly engineVersion?: 1 | 2 | undefined;
  readonly namespace?: string | undefined;
  /** Milliseconds for which a secret is kept; 0 asks for each message. */
  readonly cacheTime: number;
}

/** One request to the vault. */
export interface VaultRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request; rejects when the vault cannot be reached in time. */
export type VaultTransport = (request: VaultRequest) => Promise<{ readonly status: number; readonly text: string }>;

export interface VaultParts {
  readonly transport: VaultTransport;
  readonly clock: Clock;
}

/** Which field of which secret, in which namespace; that of the options when undefined. */
export interface VaultAddress {
  readonly namespace: string | undefined;
  readonly path: string;
  readonly field: string;
}

/** Secrets of a HashiCorp Vault, read when they are asked for and kept for a while. */
export interface Vault {
  /**
   * The value of a field. One that is not there yet is fetched.
   *
   * @throws PendingValue while it is fetched, MillraceError `MR_VAULT` when it cannot be read or does not exist
   */
  read(address: VaultAddress): string;
  /** Signs in with another secret id from now on (the management API's update). */
  setSecretId(secretId: string): void;
}

/** How long a failure is answered without asking again. */
const failureTime = 1000;

/** What a request to the vault gave: the fields of a secret, or a failure. */
type Kept = { readonly until: number } & (
  | { readonly fields: Readonly<Record<string, unknown>>; readonly error?: undefined }
  | { readonly fields?: undefined; readonly error: MillraceError }
);

export function createVault(options: VaultOptions, { transport, clock }: VaultParts): Vault {
  const kept = new Map<string, Kept>();
  const fetching = new Map<string, Promise<void>>();
  let secretId = options.secretId;
  let token = options.rootToken;
  let tokenUntil = Number.POSITIVE_INFINITY;

  const ask = async (request: VaultRequest): Promise<Readonly<Record<string, unknown>>> => {
    const { status, text } = await transport(request);
    if (status === 200) return objectOf(JSON.parse(text));
    throw vaultError(`${request.method} ${request.url} was answered with ${status}`, status);
  };

  const signIn = async (namespace: string | undefined): Promise<string> => {
    if (token !== undefined && clock.now() < tokenUntil) return token;
    const login = loginOf({ ...options, secretId });
    const answer = await ask({
      method: 'POST',
      url: `${options.address}/v1/${login.path}`,
      headers: headersOf(namespace),
      body: JSON.stringify(login.body),
    });
    const auth = objectOf(answer['auth']);
    const seconds = Number(auth['lease_duration'] ?? 0);
    const issued = auth['client_token'];
    if (typeof issued !== 'string') throw vaultError('the answer to the sign-in has no token');
    token = issued;
    // Renewed a little before its end, so that none ends on its way.
    tokenUntil = seconds === 0 ? Number.POSITIVE_INFINITY : clock.now() + seconds * 900;
    return token;
  };

  const load = async ({ namespace = options.namespace, path }: VaultAddress): Promise<Kept> => {
    try {
      const version = options.engineVersion ?? 2;
      const read = async (): Promise<Readonly<Record<string, unknown>>> =>
        ask({
          method: 'GET',
          url: `${options.address}/v1/${version === 2 ? dataPath(path) : path}`,
          headers: { ...headersOf(namespace), 'X-Vault-Token': await signIn(namespace) },
        });
      const answer = await read().catch((error: unknown) => {
        // A token that was revoked early is replaced once; a fixed one is all there is.
        const isRefused = error instanceof MillraceError && error.detail === '403';
        if (!isRefused || options.rootToken !== undefined) throw error;
        token = undefined;
        return read();
      });
      const data = objectOf(answer['data']);
      const fields = version === 2 ? objectOf(data['data']) : data;
      return { fields, until: clock.now() + options.cacheTime };
    } catch (error) {
      const failure = error instanceof MillraceError ? error : vaultError('the vault did not answer', undefined, error);
      return { error: failure, until: clock.now() + failureTime };
    }
  };

  const keep = async (id: string, address: VaultAddress): Promise<void> => {
    const loaded = await load(address);
    // What is kept for no time at all still serves those who wait for it.
    kept.set(id, { ...loaded, until: Math.max(loaded.until, clock.now() + 1) });
    fetching.delete(id);
  };

  return {
    read(address) {
      const id = `${address.namespace ?? options.namespace ?? ''}\n${address.path}`;
      const found = kept.get(id);
      if (found && found.until > clock.now()) {
        if (found.fields) return fieldOf(found.fields, address);
        throw found.error;
      }
      let ready = fetching.get(id);
      if (!ready) {
        ready = keep(id, address);
        fetching.set(id, ready);
      }
      throw new PendingValue(`the secret "${address.path}"`, ready);
    },
    setSecretId(value) {
      secretId = value;
      token = options.rootToken;
      kept.clear();
    },
  };
}

/** `mount/path` as version 2 of the engine serves it: `mount/data/path`. */
function dataPath(path: string): string {
  const slash = path.indexOf('/');
  if (slash < 0 || path.slice(slash + 1).startsWith('data/')) return path;
  return `${path.slice(0, slash)}/data/${path.slice(slash + 1)}`;
}

function loginOf(options: VaultOptions): { readonly path: string; readonly body: Readonly<Record<string, string>> } {
  const { roleId, secretId, ldapUsername, ldapPassword } = options;
  if (roleId !== undefined) return { path: 'auth/approle/login', body: { role_id: roleId, secret_id: secretId ?? '' } };
  if (ldapUsername !== undefined) {
    return { path: `auth/ldap/login/${encodeURIComponent(ldapUsername)}`, body: { password: ldapPassword ?? '' } };
  }
  throw vaultError('[[external_vault]] needs rootToken, or roleId and secretId, or ldapUsername and ldapPassword');
}

function headersOf(namespace: string | undefined): Readonly<Record<string, string>> {
  return { 'Content-Type': 'application/json', ...(namespace !== undefined && { 'X-Vault-Namespace': namespace }) };
}

function fieldOf(fields: Readonly<Record<string, unknown>>, { path, field }: VaultAddress): string {
  const value = fields[field];
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) throw vaultError(`the secret "${path}" has no field "${field}"`);
  return JSON.stringify(value);
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function vaultError(message: string, status?: number, cause?: unknown): MillraceError {
  return new MillraceError({
    code: 'MR_VAULT',
    message: `The vault cannot be read: ${message}`,
    ...(status !== undefined && { detail: String(status) }),
    ...(cause !== undefined && { cause }),
  });
}
