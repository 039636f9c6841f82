import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { propertiesOf } from '#artifacts';
import { loadConfig, loadHomeConfig, systemParameter, usableConfig, type Config } from '#config';
import { getLogger, type Home } from '#core';
import { formatProblem } from '#errors';
import type { ServerSettings } from './settings.ts';

const log = getLogger('server');

/** What the configuration of a start is read with. */
export interface ConfigOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Properties of the process, as `-Dname=value` gives them; they win over `[system.parameter]`. */
  readonly systemProperties?: Readonly<Record<string, string>>;
  /** Asks for a password; absent where nobody can be asked. */
  readonly prompt?: (question: string) => Promise<string>;
}

/**
 * Reads the configuration of the home, or that of a home without one, and tells its warnings.
 *
 * @throws ProblemsError for one that cannot be used
 */
export async function openConfig(
  home: Home,
  options: ConfigOptions,
): Promise<{ config: Config; secret: (alias: string) => string | undefined }> {
  const { environment: env } = options;
  const systemProperties = { 'carbon.home': home.directory, ...options.systemProperties };
  const loaded = existsSync(home.configuration)
    ? await loadHomeConfig({ home: home.directory, env, systemProperties, prompt: options.prompt })
    : { ...loadConfig({ text: '', file: home.configuration, env, systemProperties }), secret: () => undefined };
  for (const problem of loaded.problems)
    if (problem.severity === 'warning') log.warn({ code: problem.code }, formatProblem(problem));
  return { config: usableConfig(loaded), secret: loaded.secret };
}

/** What `get-property('system', …)` reads: facts of the server, the configuration's own, then the command line's. */
export function systemPropertiesOf(parts: {
  home: Home;
  config: Config;
  settings: ServerSettings;
  options: ConfigOptions;
}): Map<string, string> {
  const { home, config, settings, options } = parts;
  const facts = {
    'carbon.home': home.directory,
    // The name by which `pinnedServers` of proxy services know this server.
    SynapseServerName: settings.hostname,
    'carbon.local.ip': String(settings.runtime['carbon.local.ip']),
    'user.timezone': settings.mediation.timeZone ?? 'UTC',
  };
  const configured = Object.entries(config.bag(systemParameter)).map(([name, value]): [string, string] => [
    name,
    config.resolveRuntime(value, settings.runtime),
  ]);
  return new Map([...Object.entries(facts), ...configured, ...Object.entries(options.systemProperties ?? {})]);
}

/** `conf/file.properties`, which `get-property('file', …)` and configurable values read. */
export function readFileProperties(home: Home): ReadonlyMap<string, string> {
  const file = join(home.conf, 'file.properties');
  return existsSync(file) ? propertiesOf(readFileSync(file, 'utf8')) : new Map();
}
