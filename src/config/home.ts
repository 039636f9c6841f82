import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { MillraceError } from '#errors';

/** The configuration file of a home: `conf/deployment.toml`, or the place that the API manager used. */
export function configFileOf(home: string): string {
  const candidates = [join(home, 'conf', 'deployment.toml'), join(home, 'repository', 'conf', 'deployment.toml')];
  const found = candidates.find((file) => existsSync(file));
  if (found !== undefined) return found;
  throw new MillraceError({
    code: 'MR_CONFIG_NO_FILE',
    message: `no configuration file: neither ${candidates.join(' nor ')} exists`,
  });
}

/** Where a key store of the configuration lies: below the home's security folders when its path is relative. */
export function securityFileOf(home: string, name: string): string {
  if (isAbsolute(name)) return name;
  const plain = name.replace(/^(repository\/resources\/security|conf\/security)\//, '');
  const candidates = [
    join(home, name),
    join(home, 'conf', 'security', plain),
    join(home, 'repository', 'resources', 'security', plain),
  ];
  return candidates.find((file) => existsSync(file)) ?? join(home, 'conf', 'security', plain);
}
