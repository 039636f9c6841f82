import type { Raw } from './catalog/types.ts';

/** Stands for a secret that cannot be read, because no key store was opened. */
export const lockedSecret = '\u0000locked';

/** Where placeholders take their values from. */
export interface PlaceholderSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly systemProperties: Readonly<Record<string, string>>;
  /** The resolved value of another key; throws a `PlaceholderError` when there is none. */
  reference(path: string): Raw;
  /** The plain text of a secret; throws a `PlaceholderError` when it cannot be had. */
  secret(alias: string): string;
}

/** A placeholder that cannot be resolved. */
export class PlaceholderError extends Error {
  readonly code: string;
  /** The placeholder as written, such as `$env{PORT}`. */
  readonly placeholder: string;
  readonly hint: string | undefined;
  /** True when what is wrong was reported where it is. */
  readonly reported: boolean;

  constructor(code: string, facts: { message: string; placeholder: string; hint?: string; reported?: true }) {
    super(facts.message);
    this.name = 'PlaceholderError';
    this.code = code;
    this.placeholder = facts.placeholder;
    this.hint = facts.hint;
    this.reported = facts.reported === true;
  }
}

/** A value with its placeholders replaced, and what went into it. */
export interface Resolved {
  readonly raw: Raw;
  /** What the value was made from besides the file, such as `environment DB_HOST`. */
  readonly from: readonly string[];
  /** True when a secret went into it. */
  readonly secret: boolean;
}

/**
 * Replaces `$secret{}`, `$sys{}`, `$env{}` and `$ref{}`, in this order as the original does, in a text or in the texts
 * of a list. A reference to a list or boolean replaces the whole text. Throws a `PlaceholderError`.
 */
export function resolvePlaceholders(raw: Raw, sources: PlaceholderSources): Resolved {
  if (typeof raw === 'string') return raw.includes('$') ? resolveText(raw, sources) : plain(raw);
  if (!isList(raw)) return plain(raw);
  const items = raw.map((item) => resolvePlaceholders(item, sources));
  return {
    raw: items.flatMap((item) => (isList(item.raw) ? item.raw : [item.raw])),
    from: items.flatMap((item) => item.from),
    secret: items.some((item) => item.secret),
  };
}

/** True when the text holds a placeholder that is resolved at start. */
export function hasPlaceholder(raw: Raw): boolean {
  return isList(raw) ? raw.some((item) => hasPlaceholder(item)) : /\$(ref|env|sys|secret)\{/.test(String(raw));
}

function resolveText(written: string, sources: PlaceholderSources): Resolved {
  const from: string[] = [];
  let hasSecret = false;
  let text = written.replace(/\$secret\{([^}]*)\}/g, (_, alias: string) => {
    hasSecret = true;
    from.push(`secret ${alias}`);
    return sources.secret(alias);
  });
  if (hasSecret) return { raw: text.includes(lockedSecret) ? lockedSecret : text, from, secret: true };
  if (sources.systemProperties['avoidResolvingEnvAndSysVariables'] !== 'true') {
    text = text.replace(/\$sys\{([^}]*)\}/g, (placeholder, name: string) => {
      from.push(`system property ${name}`);
      return systemProperty(name, placeholder, sources);
    });
    text = text.replace(/\$env\{([^}]*)\}/g, (placeholder, name: string) => {
      from.push(`environment ${name}`);
      return environmentVariable(name, placeholder, sources);
    });
  }
  return resolveReferences(text, from, sources);
}

function resolveReferences(text: string, from: string[], sources: PlaceholderSources): Resolved {
  let whole: Raw | undefined;
  const replaced = text.replace(/\$ref\{([^}]*)\}/g, (placeholder, path: string) => {
    from.push(`key ${path}`);
    const value = sources.reference(path);
    if (isList(value) || typeof value === 'boolean' || placeholder === text) whole ??= value;
    return String(value);
  });
  return { raw: whole ?? replaced, from, secret: false };
}

function systemProperty(name: string, placeholder: string, sources: PlaceholderSources): string {
  const value = sources.systemProperties[name];
  if (value !== undefined && value !== '') return value;
  throw new PlaceholderError('MR_CONFIG_SYSTEM_PROPERTY', {
    placeholder,
    message: `the system property ${name} is ${value === undefined ? 'not set' : 'empty'}`,
    hint: `start with -D${name}=VALUE`,
  });
}

function environmentVariable(name: string, placeholder: string, sources: PlaceholderSources): string {
  const value = sources.env[name];
  if (value !== undefined) return value;
  throw new PlaceholderError('MR_CONFIG_ENVIRONMENT', {
    placeholder,
    message: `the environment variable ${name} is not set`,
    hint: `set ${name}, also to an empty text, before starting`,
  });
}

function isList(raw: Raw): raw is readonly Raw[] {
  return Array.isArray(raw);
}

function plain(raw: Raw): Resolved {
  return { raw, from: [], secret: false };
}
