import type { Raw } from './catalog/types.ts';
import type { Value } from './values.ts';

/** Stands where a secret was. */
export const masked = '********';

/** The value as it may be shown: secrets as stars, also passwords inside URLs. */
export function shown(value: Pick<Value, 'raw' | 'secret'>): Raw {
  return value.secret ? masked : maskUrls(value.raw);
}

/** Hides passwords in `scheme://user:password@host` and in `password=…` options of JDBC URLs. */
export function maskUrls(raw: Raw): Raw {
  if (Array.isArray(raw)) return (raw as readonly Raw[]).map((item) => maskUrls(item));
  if (typeof raw !== 'string') return raw;
  return raw
    .replace(/(\w:\/\/[^\s/:@?#]*):[^\s/?#]*@/g, `$1:${masked}@`)
    .replace(/([?&;](?:password|passwd|pwd|secret|token|access_token)=)[^&;\s'"]*/gi, `$1${masked}`);
}
