import type { EffectRow } from './effect-row.ts';
import { one, profileRows, two } from './effect-proxy.ts';
import { askApi, ports, proxyTo, trust, trustStore } from './effect-server.ts';

/** Two addresses where nobody listens, so that only a proxy can answer for them. */
const targets = { http: 'http://localhost:1/a', https: 'https://localhost:1/a' } as const;

function through(scheme: 'http' | 'https'): EffectRow['observe'] {
  return (_, text) => askApi(text, { ...trustStore, ...proxyTo(targets[scheme]) });
}

/** Rows of the five keys of a single proxy. */
function single(section: string, scheme: 'http' | 'https'): EffectRow[] {
  const lines = (...names: string[]): string => {
    const all: Record<string, string> = {
      host: 'sender.http.proxyHost = "127.0.0.1"',
      port: `sender.http.proxyPort = ${one}`,
      user: `sender.parameters."http.proxy.username" = "alice"`,
      password: `sender.parameters."http.proxy.password" = "pass"`,
    };
    const own = `[${section}]\n`;
    const rest = trust.replace(`${own}listener.parameters.port = 0\n`, '');
    return `${rest}${own}listener.parameters.port = 0\n${names.map((name) => `${all[name]}\n`).join('')}`;
  };
  const observe = through(scheme);
  const row = (key: string, values: readonly [EffectRow['first'], EffectRow['first']], given: string): EffectRow => {
    return { key: `${section}.sender.${key}`, first: values[0], second: values[1], given, observe };
  };
  return [
    row('http.proxyHost', ['127.0.0.1', 'no-such-host.invalid'], lines('port')),
    row('http.proxyPort', [one, two], lines('host')),
    row('http.nonProxyHosts', ['other', 'local.*'], lines('host', 'port')),
    row('parameters.http.proxy.username', ['alice', 'bob'], lines('host', 'port')),
    row('parameters.http.proxy.password', ['pass', 'word'], lines('host', 'port', 'user')),
  ];
}

const xmlProfile = (port: number): string =>
  `<profile><targetHosts>*</targetHosts><proxyHost>127.0.0.1</proxyHost><proxyPort>${port}</proxyPort></profile>`;

/** Rows of the parts of a profile that are written as keys of their own. */
function parts(): EffectRow[] {
  const section = 'transport.passthru_http.sender.parameters';
  const all: Record<string, string> = {
    targetHosts: '"proxyProfiles/targetHosts" = "localhost"\n',
    proxyHost: '"proxyProfiles/proxyHost" = "127.0.0.1"\n',
    proxyPort: `"proxyProfiles/proxyPort" = ${one}\n`,
    proxyUserName: '"proxyProfiles/proxyUserName" = "alice"\n',
    proxyPassword: '"proxyProfiles/proxyPassword" = "pass"\n',
  };
  const values: Readonly<Record<string, readonly [EffectRow['first'], EffectRow['first']]>> = {
    targetHosts: ['localhost', 'other'],
    proxyHost: ['127.0.0.1', 'no-such-host.invalid'],
    proxyPort: [one, two],
    proxyUserName: ['alice', 'bob'],
    proxyPassword: ['pass', 'word'],
  };
  const text: EffectRow = {
    key: `${section}.proxyProfiles`,
    first: xmlProfile(one),
    second: xmlProfile(two),
    given: ports,
    observe: through('http'),
  };
  return [
    text,
    ...Object.entries(values).map(([name, [first, second]]): EffectRow => {
      const others = Object.entries(all).flatMap(([other, line]) => (other === name ? [] : [line]));
      const given = `${ports}[${section}]\n${others.join('')}`;
      return { key: `${section}.proxyProfiles/${name}`, first, second, given, observe: through('http') };
    }),
  ];
}

export const rows: readonly EffectRow[] = [
  ...single('transport.passthru_http', 'http'),
  ...single('transport.passthru_https', 'https'),
  ...profileRows('transport.http.proxy_profile', trust, through('http')),
  ...profileRows('transport.http.secured_proxy_profile', trust, through('https')),
  ...parts(),
];
