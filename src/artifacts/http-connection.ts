import { synapseElement, textElement } from '#mediation';
import { appendChild, childElements, ownText, type XmlElement } from '#xml';

/** Name of the endpoint that a connection of the HTTP connector deploys (runtime-core 1.3a). */
export function connectionEndpointName(connection: string): string {
  return `${connection}_INTERNAL_ENDPOINT_REFERENCE`;
}

/** Texts of the children of `<http.init>` by their names; an empty one counts as absent. */
type Settings = ReadonlyMap<string, string>;

const uriTemplate = '{uri.var.base}{+uri.var.path}{+uri.var.query}';

/** Where the settings of an endpoint's delivery go: group, element, setting. */
const policies: readonly (readonly [group: string, element: string, setting: string])[] = [
  ['timeout', 'duration', 'timeoutDuration'],
  ['timeout', 'responseAction', 'timeoutAction'],
  ['suspendOnFailure', 'errorCodes', 'suspendErrorCodes'],
  ['suspendOnFailure', 'initialDuration', 'suspendInitialDuration'],
  ['suspendOnFailure', 'progressionFactor', 'suspendProgressionFactor'],
  ['suspendOnFailure', 'maximumDuration', 'suspendMaximumDuration'],
  ['markForSuspension', 'errorCodes', 'retryErrorCodes'],
  ['markForSuspension', 'retriesBeforeSuspension', 'retryCount'],
  ['markForSuspension', 'retryDelay', 'retryDelay'],
];

/** The element of each OAuth grant and where its children come from. */
const grants: ReadonlyMap<string, readonly [element: string, settings: readonly (readonly [string, string])[]]> =
  new Map([
    [
      'authorization code',
      [
        'authorizationCode',
        [
          ['refreshToken', 'oauthRefreshToken'],
          ['clientId', 'oauthClientId'],
          ['clientSecret', 'oauthClientSecret'],
          ['tokenUrl', 'oauthTokenUrl'],
        ],
      ],
    ],
    [
      'client credentials',
      [
        'clientCredentials',
        [
          ['clientId', 'oauthClientId'],
          ['clientSecret', 'oauthClientSecret'],
          ['tokenUrl', 'oauthTokenUrl'],
        ],
      ],
    ],
    [
      'password',
      [
        'passwordCredentials',
        [
          ['username', 'oauthUsername'],
          ['password', 'oauthPassword'],
          ['clientId', 'oauthClientId'],
          ['clientSecret', 'oauthClientSecret'],
          ['tokenUrl', 'oauthTokenUrl'],
        ],
      ],
    ],
  ]);

/**
 * The endpoint that a local entry with `<http.init>` deploys besides itself (runtime-core 1.3a); undefined for others.
 * It stands at the place of `<http.init>`, so that what is wrong with it is shown there.
 */
export function endpointOfConnection(entry: XmlElement): XmlElement | undefined {
  const init = childElements(entry).find(({ local }) => local === 'http.init');
  if (!init) return undefined;
  const settings: Settings = new Map(
    childElements(init)
      .map((child) => [child.local, ownText(child).trim()] as const)
      .filter(([, text]) => text !== ''),
  );
  const name = connectionEndpointName(settings.get('name') ?? '');
  const http = synapseElement('http', { 'uri-template': uriTemplate, ...optional(settings) });
  for (const group of deliveryGroups(settings)) appendChild(http, group);
  const authentication = authenticationOf(settings);
  if (authentication) appendChild(http, authentication);
  if (settings.get('enableAddressing') === 'true') appendChild(http, synapseElement('enableAddressing'));
  if (settings.get('enableSecurity') === 'true') appendChild(http, synapseElement('enableSec'));
  const endpoint = synapseElement('endpoint', { name }, [http]);
  for (const property of propertiesOf(settings)) appendChild(endpoint, property);
  place(endpoint, init.offset);
  return endpoint;
}

function optional(settings: Settings): Readonly<Record<string, string | undefined>> {
  return { statistics: settings.get('statistics'), trace: settings.get('trace') };
}

function deliveryGroups(settings: Settings): XmlElement[] {
  const groups = new Map<string, XmlElement>();
  for (const [group, element, setting] of policies) {
    const text = settings.get(setting);
    if (text === undefined || (setting === 'timeoutAction' && text.toLowerCase() === 'never')) continue;
    const parent = groups.get(group) ?? synapseElement(group);
    groups.set(group, parent);
    appendChild(parent, textElement(element, text));
  }
  return [...groups.values()];
}

function authenticationOf(settings: Settings): XmlElement | undefined {
  const type = settings.get('authType')?.toLowerCase();
  if (type === 'basic' || type === 'basic auth') {
    const parts = [named('username', settings, 'basicCredentialsUsername', 'username')];
    parts.push(named('password', settings, 'basicCredentialsPassword', 'password'));
    return synapseElement('authentication', {}, [synapseElement('basicAuth', {}, parts)]);
  }
  if (type !== 'oauth') return undefined;
  const grant = grants.get((settings.get('oauthGrantType') ?? '').toLowerCase());
  if (!grant) return synapseElement('authentication', {}, [synapseElement('oauth')]);
  const [element, children] = grant;
  const parts = children.map(([child, setting]) => named(child, settings, setting));
  parts.push(named('authMode', settings, 'oauthAuthorizationMode'));
  const additional = pairsOf(settings.get('oauthAdditionalProperties') ?? settings.get('requestParameters'), 2).map(
    ([name = '', value = '']) => {
      const parameter = textElement('parameter', value);
      parameter.attributes.push({ prefix: '', local: 'name', uri: '', value: name });
      return parameter;
    },
  );
  if (additional.length > 0) parts.push(synapseElement('requestParameters', {}, additional));
  return synapseElement('authentication', {}, [synapseElement('oauth', {}, [synapseElement(element, {}, parts)])]);
}

/** An element with the first setting that is there. */
function named(element: string, settings: Settings, ...names: readonly string[]): XmlElement | undefined {
  const text = names.map((name) => settings.get(name)).find((found) => found !== undefined);
  return text === undefined ? undefined : textElement(element, text);
}

/** `miscellaneousProperties`: `name:scope:value,…`. */
function propertiesOf(settings: Settings): XmlElement[] {
  return pairsOf(settings.get('miscellaneousProperties'), 3).map(([name, scope, value]) =>
    synapseElement('property', { name, scope, value }),
  );
}

/** Items separated by commas, their parts by colons; the last part keeps the rest. */
function pairsOf(text: string | undefined, count: number): string[][] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => {
      const parts = item.split(':');
      return [...parts.slice(0, count - 1), parts.slice(count - 1).join(':')].map((part) => part.trim());
    });
}

function place(element: XmlElement, offset: number): void {
  element.offset = offset;
  for (const child of childElements(element)) place(child, offset);
}
