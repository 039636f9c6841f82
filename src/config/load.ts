import { readFileSync } from 'node:fs';
import { messageOf, nearestName, ProblemsError, type Problem } from '#errors';
import { catalogOf, type Catalog } from './catalog/catalog.ts';
import { check } from './checks.ts';
import { Config } from './config.ts';
import { canonicalize, type Document } from './document.ts';
import { Evaluator, type Surroundings } from './evaluate.ts';
import { Findings } from './findings.ts';
import { runtimeNames, runtimeNamesIn } from './runtime-placeholders.ts';
import { parseToml } from './toml.ts';
import type { ValueTable } from './values.ts';

export interface LoadOptions extends Partial<Surroundings> {
  /** Path of the file; read when `text` is absent, and named in problems. */
  readonly file?: string;
  /** The file's text. */
  readonly text?: string;
  /** Whose file it is; `server` when absent. */
  readonly catalog?: 'server' | 'dashboard';
  /** Makes unknown keys errors. */
  readonly strict?: boolean;
}

/** A configuration with everything that was found; it can only be used when no problem is an error. */
export interface LoadedConfig {
  readonly config: Config;
  readonly problems: readonly Problem[];
}

/**
 * Reads a configuration from `text` or `file`: syntax, spellings, inference, defaults, placeholders, units and
 * validation. Nothing is thrown for what is wrong in the file or about reading it; all of it is in `problems`.
 */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const file = options.file ?? 'deployment.toml';
  const read = options.text ?? readText(file);
  const text = typeof read === 'string' ? read : '';
  const findings = new Findings(file, text.startsWith('\uFEFF') ? text.slice(1) : text);
  if (typeof read !== 'string') {
    findings.add('MR_CONFIG_UNREADABLE', { message: `cannot read ${file}: ${messageOf(read.cause)}` });
  }
  const catalog = catalogOf(options.catalog ?? 'server');
  const toml = parseToml(text, findings);
  const document = toml ? canonicalize(toml, catalog, findings) : emptyDocument(file);
  const evaluator = new Evaluator(document, {
    catalog,
    findings,
    surroundings: {
      env: options.env ?? {},
      systemProperties: options.systemProperties ?? {},
      decrypt: options.decrypt,
    },
  });
  const table = evaluator.evaluate();
  check(table, catalog, findings);
  reportRuntimeNames(table, { findings, known: [...runtimeNames, ...Object.keys(options.systemProperties ?? {})] });
  const config = new Config(table, { catalog, file, defaultOf: (path) => evaluator.defaultOf(path) });
  return { config, problems: options.strict === true ? findings.problems.map(strictly) : findings.problems };
}

/** The configuration, when it can be used; throws a `ProblemsError` with everything that is wrong otherwise. */
export function usableConfig(loaded: LoadedConfig): Config {
  if (loaded.problems.some(({ severity }) => severity === 'error')) throw new ProblemsError(loaded.problems);
  return loaded.config;
}

function readText(file: string): string | { readonly cause: unknown } {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    return { cause };
  }
}

function strictly(problem: Problem): Problem {
  return problem.code === 'MR_CONFIG_UNKNOWN_KEY' ? { ...problem, severity: 'error' } : problem;
}

function emptyDocument(file: string): Document {
  return { position: { file, line: 1, column: 1 }, entries: new Map(), headers: new Map(), lists: new Map() };
}

/** Unknown `${…}` names stay as text, which is rarely what was meant. */
function reportRuntimeNames(table: ValueTable, facts: { findings: Findings; known: readonly string[] }): void {
  for (const { key, raw, source } of table.values.values()) {
    if (source.kind !== 'file' || key.type.runtimePlaceholders !== true) continue;
    for (const name of runtimeNamesIn(String(raw))) {
      if (facts.known.includes(name)) continue;
      const near = nearestName(name, facts.known);
      facts.findings.add('MR_CONFIG_RUNTIME_PLACEHOLDER', {
        severity: 'warning',
        message: `\${${name}} in ${source.written} is no known placeholder and stays as it is`,
        position: source.position,
        hint: near === undefined ? undefined : `did you mean \${${near}}?`,
      });
    }
  }
  for (const item of [...table.lists.values()].flat()) reportRuntimeNames(item, facts);
}

/** The catalog whose keys a configuration of the given kind may hold. */
export function configCatalog(file: 'server' | 'dashboard'): Catalog {
  return catalogOf(file);
}
