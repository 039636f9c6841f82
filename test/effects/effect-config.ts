import { loadConfig, usableConfig, type Config } from '#config';
import { catalogOf } from '../../src/config/catalog/catalog.ts';
import type { Key } from '../../src/config/catalog/define.ts';
import type { EffectRow } from './effect-row.ts';

/** The catalog's key of a row. */
export function keyOfRow(row: EffectRow): Key<unknown> {
  const key = catalogOf(row.file ?? 'server').find(row.key);
  if (!key) throw new Error(`${row.key} is no key of the catalog`);
  return key;
}

/** The file in which the row's key has `value`: below the header of its section in `given`, or with one at the end. */
export function textWith(row: EffectRow, value: EffectRow['first']): string {
  const key = keyOfRow(row);
  const depth = key.section === '' ? 0 : key.section.split('.').length;
  const names = row.key.split('.');
  const section = names.slice(0, depth).join('.');
  const line = `${JSON.stringify(names.slice(depth).join('.'))} = ${JSON.stringify(value)}\n`;
  if (section === '') return `${line}${row.given ?? ''}`;
  const repeated = catalogOf(row.file ?? 'server').section(section)?.repeated === true;
  const header = `${repeated ? `[[${section}]]` : `[${section}]`}\n`;
  const given = row.given ?? '';
  const at = given.lastIndexOf(header);
  return at < 0 ? `${given}\n${header}${line}` : given.replace(header, `${header}${line}`);
}

/** The configuration of such a file; throws when it has errors. */
export function configOf(row: EffectRow, text: string): Config {
  return usableConfig(
    loadConfig({ text, file: `${row.key}.toml`, catalog: row.file ?? 'server', env: {}, systemProperties: {} }),
  );
}
