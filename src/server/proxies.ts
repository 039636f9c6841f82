import {
  passthruHttpTransport,
  transportHttpProxyProfile,
  transportHttpSecuredProxyProfile,
  transportPassthruHttps,
  transportPassthruHttpSenderParameters,
  webSocketProxyProfile,
  type Config,
  type Reader,
} from '#config';
import { getLogger } from '#core';
import { compileJavaRegex } from '#core/java';
import { MillraceError, messageOf } from '#errors';
import type { Proxy, ProxySelector } from '#transport';
import { childElements, deepText, firstChild, parseXml, type XmlElement } from '#xml';

const log = getLogger('server');
const defaultPort = 80;

/** One `[[transport.http.proxy_profile]]` in whichever spelling. */
interface Profile {
  /** `*` is the profile of hosts that no other one names. */
  readonly targets: readonly string[];
  readonly bypassed: readonly string[];
  readonly proxy: Proxy;
}

/**
 * Reads which hosts are called through which proxy. As soon as a scheme has a profile, its single proxy is ignored.
 *
 * @throws MillraceError for an incomplete profile or a pattern that is no regular expression
 */
export function readProxies(config: Config): ProxySelector {
  const http = selectorOf(httpProfiles(config)) ?? singleProxy(config, 'http');
  const https = selectorOf(profilesIn(config, 'https')) ?? singleProxy(config, 'https');
  return (scheme, host) => (scheme === 'https' ? https(host) : http(host));
}

/**
 * Reads through which proxy back ends that speak WebSocket are called; those of HTTP do not count for them.
 *
 * @throws MillraceError for an incomplete profile or a pattern that is no regular expression
 */
export function readWebSocketProxies(config: Config, scheme: 'ws' | 'wss'): ProxySelector {
  const tables = config.list(webSocketProxyProfile).filter(({ name }) => name === scheme);
  const select = selectorOf(tables.map((table) => profileOfTable(table, webSocketProxyProfile)));
  return (_, host) => select?.(host);
}

type HostSelector = (host: string) => Proxy | undefined;

/** Of profiles that name a host the first one counts; the default profile comes last. */
function selectorOf(profiles: readonly Profile[]): HostSelector | undefined {
  if (profiles.length === 0) return undefined;
  const isDefault = ({ targets }: Profile): boolean => targets.includes('*');
  const ordered = [...profiles.filter((profile) => !isDefault(profile)), ...profiles.filter(isDefault)].map(
    ({ targets, bypassed, proxy }) => {
      const isBypassed = hostTest(bypassed);
      const isTarget = targets.includes('*') ? () => true : hostTest(targets);
      return { proxy, isBypassed, isTarget };
    },
  );
  return (host) => {
    const found = ordered.find(({ isTarget }) => isTarget(host));
    return found && !found.isBypassed(host) ? found.proxy : undefined;
  };
}

/**
 * A test whether one of the patterns matches a whole host name in lower case.
 *
 * @throws MillraceError for a pattern that is no regular expression of Java
 */
export function hostTest(patterns: readonly string[]): (host: string) => boolean {
  const compiled = patterns.map((pattern) => {
    try {
      return compileJavaRegex(pattern);
    } catch (error) {
      throw incomplete(`the host pattern "${pattern}" is not a regular expression: ${messageOf(error)}`);
    }
  });
  return (host) => compiled.some((pattern) => pattern.matches(host));
}

/** Profiles of plain calls: tables win over the XML text. */
function httpProfiles(config: Config): readonly Profile[] {
  const tables = profilesIn(config, 'http');
  const keys = transportPassthruHttpSenderParameters;
  const text = config.get(keys.proxyProfiles);
  const listed = text === undefined ? profileOfKeys(config) : profilesOfXml(text);
  if (tables.length === 0) return listed;
  if (listed.length > 0) {
    log.warn({}, `${keys.section.path}.proxyProfiles is ignored, since [[transport.http.proxy_profile]] exists`);
  }
  return tables;
}

function profilesIn(config: Config, scheme: 'http' | 'https'): readonly Profile[] {
  const section = scheme === 'https' ? transportHttpSecuredProxyProfile : transportHttpProxyProfile;
  return config.list(section).map((table) => profileOfTable(table, section));
}

type ProfileKeys =
  | typeof transportHttpProxyProfile
  | typeof transportHttpSecuredProxyProfile
  | typeof webSocketProxyProfile;

function profileOfTable(table: Reader, keys: ProfileKeys): Profile {
  return profileOf({
    targets: table.get(keys.targetHosts) ?? [],
    bypassed: table.get(keys.bypassHosts) ?? [],
    host: table.get(keys.proxyHost),
    port: table.get(keys.proxyPort),
    user: table.get(keys.proxyUsername),
    password: table.get(keys.proxyPassword),
  });
}

/** The parts of a profile written as keys of their own make one profile. */
function profileOfKeys(config: Config): readonly Profile[] {
  const keys = transportPassthruHttpSenderParameters;
  const host = config.get(keys.proxyProfilesProxyHost);
  const targets = config.get(keys.proxyProfilesTargetHosts);
  if (host === undefined && targets === undefined) return [];
  return [
    profileOf({
      targets: targets ?? [],
      bypassed: [],
      host,
      port: config.get(keys.proxyProfilesProxyPort),
      user: config.get(keys.proxyProfilesProxyUserName),
      password: config.get(keys.proxyProfilesProxyPassword),
    }),
  ];
}

function profilesOfXml(text: string): readonly Profile[] {
  return childElements(parseXml(`<profiles>${text}</profiles>`).root).map((profile) => {
    const port = textIn(profile, 'proxyPort');
    return profileOf({
      targets: wordsOf(textIn(profile, 'targetHosts')),
      bypassed: wordsOf(textIn(profile, 'bypass')),
      host: textIn(profile, 'proxyHost'),
      port: port === undefined ? undefined : Number(port),
      user: textIn(profile, 'proxyUserName'),
      password: textIn(profile, 'proxyPassword'),
    });
  });
}

interface ProfileFacts {
  readonly targets: readonly string[];
  readonly bypassed: readonly string[];
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
}

function profileOf({ targets, bypassed, host, port, user, password }: ProfileFacts): Profile {
  if (targets.length === 0) throw incomplete('a proxy profile names no target host');
  if (host === undefined || port === undefined || Number.isNaN(port)) {
    throw incomplete(`the proxy profile of ${targets.join(', ')} needs a host and a port of the proxy`);
  }
  return { targets, bypassed, proxy: proxyOf({ host, port, user, password }) };
}

function singleProxy(config: Config, scheme: 'http' | 'https'): HostSelector {
  const isSecure = scheme === 'https';
  const secure = transportPassthruHttps;
  const plain = passthruHttpTransport;
  const host = config.get(isSecure ? secure.senderHttpProxyHost : plain.senderProxyHost);
  if (host === undefined) return () => undefined;
  const proxy = proxyOf({
    host,
    port: config.get(isSecure ? secure.senderHttpProxyPort : plain.senderProxyPort) ?? defaultPort,
    user: config.get(isSecure ? secure.senderParametersHttpProxyUsername : plain.senderProxyUsername),
    password: config.get(isSecure ? secure.senderParametersHttpProxyPassword : plain.senderProxyPassword),
  });
  const isDirect = hostTest(config.get(isSecure ? secure.senderHttpNonProxyHosts : plain.senderNonProxyHosts) ?? []);
  return (name) => (isDirect(name) ? undefined : proxy);
}

/** A proxy of the configuration; a negative port stands for 80, as in the original. */
export function proxyOf(facts: {
  host: string;
  port: number;
  user: string | undefined;
  password: string | undefined;
}): Proxy {
  const { host, port, user, password = '' } = facts;
  return {
    host,
    port: port < 0 ? defaultPort : port,
    ...(user === undefined ? {} : { credentials: { user, password } }),
  };
}

function textIn(element: XmlElement, name: string): string | undefined {
  const child = firstChild(element, name);
  const text = child && deepText(child).trim();
  return text === '' ? undefined : text;
}

function wordsOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function incomplete(message: string): MillraceError {
  return new MillraceError({ code: 'MR_CONFIG_PROXY', message: `The configuration of proxies is wrong: ${message}` });
}
