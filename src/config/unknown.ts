import type { Position } from '#errors';
import type { Catalog } from './catalog/catalog.ts';
import type { Findings } from './findings.ts';

/** A spelling that people meet in old files and examples, and what it should have been. */
interface Trap {
  readonly pattern: RegExp;
  /** The right path; `$1` stands for what the pattern caught. */
  readonly instead: string;
}

const traps: readonly Trap[] = [
  {
    pattern: /^transport\.passthru\.http\.listener\.port$/,
    instead: 'transport.passthru_http.listener.parameters.port',
  },
  {
    pattern: /^transport\.passthru\.https\.listener\.port$/,
    instead: 'transport.passthru_https.listener.parameters.port',
  },
  { pattern: /^transport\.passthru\.(https?)\.(.+)$/, instead: 'transport.passthru_$1.$2' },
  { pattern: /^super_admin\.create_super_admin$/, instead: 'super_admin.create_admin_account' },
  { pattern: /^apim\.jwt_authenitcation\.(.+)$/, instead: 'apim.jwt.$1' },
  { pattern: /^apim\.jwt_authentication\.(.+)$/, instead: 'apim.jwt.$1' },
];

/** Reports a key that nothing is known about, with the name that was probably meant. */
export function reportUnknown(
  unknown: { readonly path: string; readonly position: Position },
  catalog: Catalog,
  findings: Findings,
): void {
  const { path, position } = unknown;
  const trap = traps.find(({ pattern }) => pattern.test(path));
  const near = trap ? path.replace(trap.pattern, trap.instead) : catalog.nearest(path);
  findings.add('MR_CONFIG_UNKNOWN_KEY', {
    severity: 'warning',
    message: `${path} is no known key and has no effect`,
    position,
    hint: near === undefined ? undefined : `did you mean ${near}?`,
  });
}
