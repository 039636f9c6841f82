import { MillraceError } from '#errors';

export type JdbcVendor = 'h2' | 'mysql' | 'mariadb' | 'postgresql' | 'sqlserver' | 'oracle' | 'db2';

/** What a JDBC URL says. */
export interface JdbcUrl {
  readonly vendor: JdbcVendor;
  /** Empty for an embedded database. */
  readonly host: string;
  /** The vendor's own when the URL names none; 0 for an embedded database. */
  readonly port: number;
  /** Name, service or, for an embedded database, path without the extension of its file. */
  readonly database: string;
  /** Options as they are written; look them up with `jdbcOption`. */
  readonly options: Readonly<Record<string, string>>;
  /** For Oracle, whether `database` is a service name rather than a SID. */
  readonly isService: boolean;
  /** `file`, `mem` or `tcp` for H2; undefined for others. */
  readonly mode: 'file' | 'mem' | 'tcp' | undefined;
}

interface Format {
  readonly vendor: JdbcVendor;
  readonly prefix: string;
  readonly port: number;
  readonly parse: (rest: string, format: Format) => JdbcUrl | undefined;
}

/** One row per URL prefix; a longer prefix stands before a shorter one. */
const formats: readonly Format[] = [
  { vendor: 'h2', prefix: 'h2:', port: 9092, parse: parseH2 },
  { vendor: 'mysql', prefix: 'mysql:', port: 3306, parse: parseSlashes },
  { vendor: 'mariadb', prefix: 'mariadb:', port: 3306, parse: parseSlashes },
  { vendor: 'postgresql', prefix: 'postgresql:', port: 5432, parse: parseSlashes },
  { vendor: 'sqlserver', prefix: 'sqlserver:', port: 1433, parse: parseSqlServer },
  { vendor: 'oracle', prefix: 'oracle:thin:', port: 1521, parse: parseOracle },
  { vendor: 'db2', prefix: 'db2:', port: 50_000, parse: parseDb2 },
];

/**
 * Reads a JDBC URL; `&amp;`, as it stands in files that were XML once, means `&`.
 *
 * @throws MillraceError `MR_JDBC_URL`, without the options, which may hold a password
 */
export function parseJdbcUrl(url: string): JdbcUrl {
  const text = url.trim().replaceAll('&amp;', '&');
  const format = formats.find(({ prefix }) => text.toLowerCase().startsWith(`jdbc:${prefix}`));
  const parsed = format?.parse(text.slice('jdbc:'.length + format.prefix.length), format);
  if (parsed) return parsed;
  const known = formats.map(({ prefix }) => `jdbc:${prefix}`).join(', ');
  const shown = text.split(/[?;]/, 1)[0]?.slice(0, 100) ?? '';
  const reason = format ? 'host and database cannot be read from it' : `it begins with none of ${known}`;
  throw new MillraceError({ code: 'MR_JDBC_URL', message: `The database URL "${shown}" is refused: ${reason}` });
}

/** An option of a URL; names are compared without regard to case. */
export function jdbcOption(url: JdbcUrl, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return Object.entries(url.options).find(([key]) => key.toLowerCase() === wanted)?.[1];
}

/** `//host:port/database?name=value&…`; of several hosts the first counts. */
function parseSlashes(rest: string, format: Format): JdbcUrl | undefined {
  const match = /^\/\/([^/?]*)(?:\/([^?;]*))?(?:[?;](.*))?$/s.exec(rest);
  if (!match && format.vendor === 'postgresql' && /^[^/?]+$/.test(rest)) {
    return facts(format, { host: 'localhost', database: rest });
  }
  if (!match) return undefined;
  const [, hosts = '', database = '', options = ''] = match;
  const address = addressOf(hosts.split(',', 1)[0] ?? '', format.port);
  return address && facts(format, { ...address, database: decode(database), options: pairs(options, '&') });
}

/** `//host\instance:port;name=value;…`. */
function parseSqlServer(rest: string, format: Format): JdbcUrl | undefined {
  const [, host = '', port, list = ''] = /^\/\/([^;:/]*)(?::(\d+))?\/?(?:;(.*))?$/s.exec(rest) ?? [];
  if (!rest.startsWith('//')) return undefined;
  const options = pairs(list, ';');
  const optionOf = (names: readonly string[]): string | undefined =>
    Object.entries(options).find(([key]) => names.includes(key.toLowerCase()))?.[1];
  const [server = '', instance] = (host || (optionOf(['servername', 'server']) ?? 'localhost')).split('\\', 2);
  return facts(format, {
    host: server,
    port: Number(port ?? optionOf(['portnumber', 'port']) ?? format.port),
    database: optionOf(['databasename', 'database']) ?? '',
    options: instance === undefined ? options : { ...options, instanceName: instance },
  });
}

/** `@host:port:sid`, `@host:port/service`, `@//host:port/service`. */
function parseOracle(rest: string, format: Format): JdbcUrl | undefined {
  const match = /^(?:[^@/]*\/[^@]*)?@(?:\/\/)?([^:/?]+)(?::(\d+))?([:/])([^?]+)(?:\?(.*))?$/s.exec(rest);
  if (!match) return undefined;
  const [, host = '', port, separator, database = '', options = ''] = match;
  return {
    ...facts(format, { host, port: Number(port ?? format.port), database, options: pairs(options, '&') }),
    isService: separator === '/',
  };
}

/** `//host:port/name:option=value;…`. */
function parseDb2(rest: string, format: Format): JdbcUrl | undefined {
  const match = /^\/\/([^/]+)\/([^:;]+)(?:[:;](.*))?$/s.exec(rest);
  const address = match && addressOf(match[1] ?? '', format.port);
  return address
    ? facts(format, { ...address, database: match[2] ?? '', options: pairs(match[3] ?? '', ';') })
    : undefined;
}

/** `[file:|mem:|tcp://host:port/]path;NAME=value;…`. */
function parseH2(rest: string, format: Format): JdbcUrl | undefined {
  const [place = '', ...list] = rest.split(';');
  const options = pairs(list.join(';'), ';');
  const remote = /^(?:tcp|ssl):\/\/([^/]+)\/(.+)$/.exec(place);
  if (remote) {
    const address = addressOf(remote[1] ?? '', format.port);
    return address && { ...facts(format, { ...address, database: remote[2] ?? '', options }), mode: 'tcp' };
  }
  const [, kind = 'file', path = ''] = /^(?:(file|mem|nio|split|nioMapped|async):)*(.*)$/s.exec(place) ?? [];
  if (path === '' && kind !== 'mem') return undefined;
  return { ...facts(format, { host: '', port: 0, database: path, options }), mode: kind === 'mem' ? 'mem' : 'file' };
}

function facts(format: Format, found: Partial<JdbcUrl>): JdbcUrl {
  const { vendor, port } = format;
  return { vendor, host: '', port, database: '', options: {}, isService: false, mode: undefined, ...found };
}

function addressOf(text: string, port: number): { host: string; port: number } | undefined {
  const match = /^(?:\[([\da-fA-F:.]+)\]|([^:\s]*))(?::(\d{1,5}))?$/.exec(text);
  return match ? { host: match[1] ?? (match[2] || 'localhost'), port: Number(match[3] ?? port) } : undefined;
}

function pairs(text: string, separator: string): Record<string, string> {
  const options: Record<string, string> = {};
  for (const pair of text.split(separator)) {
    const [name = '', ...value] = pair.split('=');
    if (name.trim() !== '') options[name.trim()] = decode(value.join('=').trim());
  }
  return options;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign, as in a password, stands for itself.
    return text;
  }
}
