import type { Findings } from './findings.ts';
import type { Value, ValueTable } from './values.ts';

/** A rule about several keys; reports to `findings`. */
export type Rule = (table: ValueTable, findings: Findings) => void;

/** What the original checks at start, with the rules that it ships without ever evaluating them. */
export const rules: readonly Rule[] = [
  customClass('apim.jwt.encoding', 'custom', 'apim.jwt.generator_impl'),
  customClass('apim.devportal.application_sharing_type', 'custom', 'apim.devportal.application_sharing_impl'),
  customClass('apim.analytics.event_publisher_type', 'custom', 'apim.analytics.event_publisher_impl'),
  customClass('apim.key_manager.key_validation_handler_type', 'custom', 'apim.key_manager.key_validation_handler_impl'),
  directoryNeedsConnection,
  connectorsOnOnePort,
  blockingPort,
  wildcardWithCredentials,
  literalPorts,
  mailSettings,
];

function customClass(switchPath: string, value: string, classPath: string): Rule {
  return (table, findings) => {
    const chosen = table.values.get(switchPath);
    if (chosen?.typed !== value || isWritten(table, classPath)) return;
    findings.add('MR_CONFIG_MISSING_KEY', {
      message: `${switchPath} = "${value}" needs a class in ${classPath}`,
      position: placeOf(chosen),
    });
  };
}

function directoryNeedsConnection(table: ValueTable, findings: Findings): void {
  const type = table.values.get('user_store.type');
  if (!/ldap|active_directory/.test(textOf(type))) return;
  for (const name of ['ConnectionURL', 'ConnectionName']) {
    if (isWritten(table, `user_store.properties.${name}`)) continue;
    findings.add('MR_CONFIG_MISSING_KEY', {
      message: `user_store.type = "${textOf(type)}" needs user_store.properties.${name}`,
      position: placeOf(type),
    });
  }
}

function connectorsOnOnePort(table: ValueTable, findings: Findings): void {
  const plain = table.values.get('transport.http.properties.port');
  const secure = table.values.get('transport.https.properties.port');
  const plainPort = Number(plain?.typed ?? 9763);
  const securePort = Number(secure?.typed ?? 9443);
  if (plainPort !== securePort || plainPort === 0) return;
  const other = placeOf(plain) && placeOf(secure) ? `line ${placeOf(secure)?.line}` : 'the default of the other';
  findings.add('MR_CONFIG_PORT_CONFLICT', {
    message: `transport.http.properties.port and transport.https.properties.port are both ${plainPort} (${other})`,
    position: placeOf(plain) ?? placeOf(secure),
    hint: 'the HTTP connector listens on 9763 when its port is absent',
  });
}

function blockingPort(table: ValueTable, findings: Findings): void {
  const port = table.values.get('transport.passthru_https.listener.parameters.port');
  if (port?.typed !== 8200) return;
  findings.add('MR_CONFIG_BLOCKING_PORT', {
    severity: 'warning',
    message:
      'transport.passthru_https.listener.parameters.port = 8200 moves the HTTPS listener of APIs from 8243 to 8200',
    position: placeOf(port),
    hint: 'the blocking mode needs no listener of its own; leave the key out to stay on 8243',
  });
}

/** Browsers refuse `*` together with credentials. */
function wildcardWithCredentials(table: ValueTable, findings: Findings): void {
  const credentials = table.values.get('apim.cors.allow_credentials');
  const origins = table.values.get('apim.cors.allow_origins')?.typed as readonly string[] | undefined;
  if (credentials?.typed !== true || !(origins ?? ['*']).includes('*')) return;
  findings.add('MR_CONFIG_CORS_WILDCARD', {
    severity: 'warning',
    message:
      'apim.cors.allow_credentials = true needs origins in apim.cors.allow_origins; "*" is not accepted by browsers',
    position: placeOf(credentials),
  });
}

/** `server.offset` moves the listeners, not the URLs that the file spells out. */
function literalPorts(table: ValueTable, findings: Findings): void {
  const offset = table.values.get('server.offset')?.typed;
  if (typeof offset !== 'number' || offset === 0) return;
  for (const value of [...table.values.values()].concat(
    [...table.lists.values()].flat().flatMap((item) => [...item.values.values()]),
  )) {
    const port = /^\w+:\/\/(?:localhost|127\.0\.0\.1):(9443|9763|8243|8280|9611|9711|5672)\b/.exec(textOf(value))?.[1];
    if (port === undefined || value.source.kind !== 'file') continue;
    findings.add('MR_CONFIG_UNSHIFTED_PORT', {
      severity: 'warning',
      message: `${value.source.written} names port ${port}, but server.offset moves that listener to ${Number(port) + offset}`,
      position: value.source.position,
    });
  }
}

/** The original lets the portal's mail settings overwrite those of events. */
function mailSettings(table: ValueTable, findings: Findings): void {
  for (const [path, value] of table.values) {
    const name = /^output_adapter\.email\.(\w+)$/.exec(path)?.[1];
    const other = table.values.get(`apim.notifications.${name}`);
    if (name === undefined || !placeOf(other) || !placeOf(value) || String(value.raw) === String(other?.raw)) continue;
    findings.add('MR_CONFIG_CONTRADICTION', {
      severity: 'warning',
      message: `${path} differs from apim.notifications.${name} on line ${placeOf(other)?.line}; each is used for its own mails`,
      position: placeOf(value),
      hint: 'the original used apim.notifications for both',
    });
  }
}

function isWritten(table: ValueTable, path: string): boolean {
  return textOf(table.values.get(path)) !== '' || table.written.has(path);
}

function textOf(value: Value | undefined): string {
  return typeof value?.raw === 'string' ? value.raw : '';
}

function placeOf(value: Value | undefined) {
  return value?.source.kind === 'file' ? value.source.position : undefined;
}
