import { existsSync, readFileSync } from 'node:fs';
import { loadConfig, millrace, readTemporary, type Config } from '#config';
import { createHome } from '#core';
import type { ServerOptions } from '../start.ts';

/** What `millrace.workers` says; 1 for a configuration that cannot be read, whose start says why. */
export function countWorkers(options: ServerOptions): number {
  return readUsable(options)?.get(millrace.workers) ?? 1;
}

/** The configuration of a home that speaks of workers; undefined for one that does not or cannot be used. */
export function readUsable({ home: directory, environment: env, systemProperties }: ServerOptions): Config | undefined {
  const home = createHome(directory);
  // A start reads the configuration once, unless it speaks of workers.
  if (!existsSync(home.configuration)) return undefined;
  const text = readFileSync(home.configuration, 'utf8');
  if (!text.includes('workers')) return undefined;
  const properties = { 'carbon.home': home.directory, ...systemProperties };
  const { config, problems } = loadConfig({ text, file: home.configuration, env, systemProperties: properties });
  return problems.some(({ severity }) => severity === 'error') ? undefined : config;
}

/** The options for workers: passwords that lie in the home for one start have to last for all of them. */
export function optionsForWorkers(options: ServerOptions): ServerOptions {
  const name = 'MILLRACE_KEYSTORE_PASSWORD';
  if (options.environment[name] !== undefined) return options;
  const passwords = readTemporary(options.home);
  return passwords === undefined ? options : { ...options, environment: { ...options.environment, [name]: passwords } };
}
