import { grantType, oauthCustomGrantType, oauthGrantTypeClientCredentials, type Bag, type Config } from '#config';
import { loadModule, type ExtensionModules } from './extension-module.ts';
import type { Grant } from './grant.ts';
import { grants } from './grants/index.ts';
import { ownCheck, ownGrant } from './own-grant.ts';

/**
 * The grants that the configuration leaves on, by the value of `grant_type`, with handlers and validators of one's own.
 * A grant whose class cannot be found is not offered, and the log says what was expected.
 */
export function configuredGrants(config: Config, modules: ExtensionModules): ReadonlyMap<string, Grant> {
  const offered = new Map<string, Grant>();
  for (const grant of grants) {
    if (grant.keys !== undefined && !config.get(grant.keys.enable)) continue;
    const configured = configure(grant, config, modules);
    if (configured) offered.set(grant.name, configured);
  }
  for (const reader of config.list(oauthCustomGrantType)) {
    const name = reader.get(oauthCustomGrantType.name);
    const handler = reader.get(oauthCustomGrantType.grantHandler);
    if (name === undefined || handler === undefined) continue;
    const own = { name, section: name, required: [], subject: 'user', refreshTokens: true, idTokens: true } as const;
    const properties = reader.get(oauthCustomGrantType.properties) ?? {};
    const place = { key: `oauth.custom_grant_type ${name}`, modules, properties };
    const loaded = replaceHandler({ ...own, admitsPublicClients: true, run: neverRuns }, handler, place);
    const checked = loaded && addValidator(loaded, reader.get(oauthCustomGrantType.grantValidator), place);
    if (checked) offered.set(name, admit(checked, config));
  }
  return offered;
}

const otherwise = 'the grant is not offered';

function neverRuns(): never {
  throw new Error('a grant without a handler is never offered');
}

interface Place {
  readonly key: string;
  readonly modules: ExtensionModules;
  readonly properties: Bag;
}

function configure(grant: Grant, config: Config, modules: ExtensionModules): Grant | undefined {
  const { keys, section = grant.name } = grant;
  const place = { key: `oauth.grant_type.${section}`, modules, properties: {} };
  const handler = keys?.handler && config.get(keys.handler);
  const handled = handler === undefined ? grant : replaceHandler(grant, handler, place);
  const validator = keys?.validator && config.get(keys.validator);
  const checked = handled && addValidator(handled, validator, place);
  return checked && admit(allowMore(checked, config), config);
}

/** `allow_refresh_tokens` and `allow_id_token` of client_credentials (identity 3.3). */
function allowMore(grant: Grant, config: Config): Grant {
  if (grant.section !== 'client_credentials') return grant;
  const { allowRefreshTokens, allowIdToken } = oauthGrantTypeClientCredentials;
  return { ...grant, refreshTokens: config.get(allowRefreshTokens), idTokens: config.get(allowIdToken) };
}

/** `allow_public_client`; a client cannot act for itself without a secret (RFC 6749 §4.4). */
function admit(grant: Grant, config: Config): Grant {
  const reader = config.list(grantType).find(({ name }) => name === grant.section);
  if (!grant.admitsPublicClients || !reader?.has(grantType.allowPublicClient)) return grant;
  return { ...grant, admitsPublicClients: reader.get(grantType.allowPublicClient) };
}

function replaceHandler(grant: Grant, className: string, place: Place): Grant | undefined {
  if (isBuiltIn(grant, className)) return grant;
  return loadModule(className, { ...place, otherwise, key: `${place.key}.grant_handler` }, (found) =>
    ownGrant(found, grant, place.properties),
  );
}

function addValidator(grant: Grant, className: string | undefined, place: Place): Grant | undefined {
  if (className === undefined || isBuiltIn(grant, className)) return grant;
  return loadModule(className, { ...place, otherwise, key: `${place.key}.grant_validator` }, (found) => ({
    ...grant,
    check: ownCheck(found),
  }));
}

function isBuiltIn({ classes = [] }: Grant, className: string): boolean {
  return className.startsWith('org.wso2.') && classes.includes(className.slice(className.lastIndexOf('.') + 1));
}
