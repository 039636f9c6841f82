import { oauth, oauthExtensionsTokenTypes, oauthOidc, type Config, type Key } from '#config';
import { MillraceError } from '#errors';
import type { Tenant } from '../tenants/tenant.ts';
import type { Client } from './client.ts';
import { loadModule, methodOf, type ExtensionModules, type Method } from './extension-module.ts';
import type { Subject } from './tokens.ts';

/** What a module of the extensions learns of the token that is being made or asked about. */
export interface TokenFacts {
  readonly kind: 'access_token' | 'id_token' | 'userinfo' | 'context';
  readonly tenant: Tenant;
  readonly client: Pick<Client, 'id' | 'name' | 'owner'>;
  readonly subject: Subject;
  readonly scopes: readonly string[];
}

export type OwnClaims = Readonly<Record<string, unknown>>;
type Claims = (facts: TokenFacts) => Promise<OwnClaims> | OwnClaims;

/** The parts of the server that the configuration takes from elsewhere (identity 3.10, 4.1, 4.2). */
export interface OwnParts {
  /** Further claims of ID tokens and of JWT access tokens. */
  readonly addClaims: Claims | undefined;
  /** Changes the claims of an ID token, or gives the token itself. */
  readonly buildIdToken:
    | ((claims: OwnClaims, facts: TokenFacts) => Promise<OwnClaims | string> | OwnClaims | string)
    | undefined;
  /** The claims of user info in place of ours. */
  readonly userInfoClaims: Claims | undefined;
  readonly context: ContextParts | undefined;
  /** Makes the values of access tokens, by the name of the kind of token. */
  readonly issuers: ReadonlyMap<string, (facts: TokenFacts) => Promise<string> | string>;
}

/** How the token that introspection gives to gateways is made (identity 4.2). */
export interface ContextParts {
  /** Gives the token itself; signed here when undefined. */
  readonly generate: ((claims: OwnClaims, facts: TokenFacts) => Promise<string> | string) | undefined;
  readonly claims: Claims | undefined;
  readonly dialect: string;
}

/** Nothing but what is built in. */
export const noOwnParts: OwnParts = {
  addClaims: undefined,
  buildIdToken: undefined,
  userInfoClaims: undefined,
  context: undefined,
  issuers: new Map(),
};

/** Classes of the original whose work is built in, by the ends of their names. */
const builtIn = {
  builder: ['DefaultIDTokenBuilder'],
  callback: ['DefaultOIDCClaimsCallbackHandler', 'SAMLAssertionClaimsCallback', 'JWTAccessTokenOIDCClaimsHandler'],
  retriever: ['UserInfoUserStoreClaimRetriever'],
  context: ['JWTTokenGenerator'],
  contextClaims: ['DefaultClaimsRetriever'],
  issuer: ['JWTTokenIssuer', 'ApimJWTTokenIssuer', 'OauthTokenIssuerImpl'],
} as const;

/** Loads the modules that the configuration names; what cannot be loaded is built in, and the log says so. */
export function readOwnParts(config: Config, modules: ExtensionModules): OwnParts {
  const find = (className: string | undefined, place: Place): Method | undefined => {
    if (className === undefined || place.classes.some((known) => isClass(className, known))) return undefined;
    const otherwise = 'what is built in does the work';
    return loadModule(className, { key: place.key, modules, otherwise }, (exported) =>
      methodOf(exported, place.method),
    );
  };
  const named = (key: Key<string | undefined>, method: string, classes: readonly string[]): Method | undefined =>
    find(config.get(key), { key: key.path, method, classes });
  const { extensionsIdTokenBuilder, extensionsClaimCallbackHandler, extensionsUserInfoClaimRetriever } = oauthOidc;
  const build = named(extensionsIdTokenBuilder, 'build', builtIn.builder);
  const issuers = config.list(oauthExtensionsTokenTypes).flatMap((reader) => {
    const name = reader.get(oauthExtensionsTokenTypes.name);
    const { path: key } = oauthExtensionsTokenTypes.issuer;
    const className = reader.get(oauthExtensionsTokenTypes.issuer);
    const issue = find(className, { key, method: 'issue', classes: builtIn.issuer });
    return name === undefined || !issue
      ? []
      : [[name, async (facts: TokenFacts) => textOf(await issue(facts))] as const];
  });
  return {
    addClaims: claimsOf(named(extensionsClaimCallbackHandler, 'claims', builtIn.callback)),
    buildIdToken:
      build &&
      (async (claims, facts) => {
        const built = await build(claims, facts);
        return typeof built === 'string' ? built : objectOf(built);
      }),
    userInfoClaims: claimsOf(named(extensionsUserInfoClaimRetriever, 'claims', builtIn.retriever)),
    context: readContext(config, named),
    issuers: new Map(issuers),
  };
}

function readContext(
  config: Config,
  named: (key: Key<string | undefined>, method: string, classes: readonly string[]) => Method | undefined,
): ContextParts | undefined {
  const { extensionsTokenContextGenerator, extensionsTokenContextClaimRetriever } = oauth;
  if (config.get(extensionsTokenContextGenerator) === undefined) return undefined;
  const generate = named(extensionsTokenContextGenerator, 'generate', builtIn.context);
  return {
    generate: generate && (async (claims, facts) => textOf(await generate(claims, facts))),
    claims: claimsOf(named(extensionsTokenContextClaimRetriever, 'claims', builtIn.contextClaims)),
    dialect: config.get(oauth.extensionsTokenContextDialectUri).replace(/\/$/, ''),
  };
}

interface Place {
  readonly key: string;
  readonly method: string;
  readonly classes: readonly string[];
}

function isClass(className: string, known: string): boolean {
  return className.startsWith('org.wso2.') && className.endsWith(`.${known}`);
}

function claimsOf(method: Method | undefined): Claims | undefined {
  return method && (async (facts) => objectOf(await method(facts)));
}

function objectOf(given: unknown): OwnClaims {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as OwnClaims;
  throw wrongResult('claims by their names', given);
}

function textOf(given: unknown): string {
  if (typeof given === 'string' && given !== '') return given;
  throw wrongResult('a text', given);
}

function wrongResult(expected: string, found: unknown): MillraceError {
  const detail = `a module of the extensions: expected ${expected}, found ${found === null ? 'null' : typeof found}`;
  return new MillraceError({ code: 'MR_EXTENSION_RESULT', status: 500, message: 'The token cannot be made', detail });
}
