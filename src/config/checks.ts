import type { Catalog } from './catalog/catalog.ts';
import type { Key } from './catalog/define.ts';
import { keysOf } from './catalog/define.ts';
import { PathPattern } from './catalog/path-pattern.ts';
import type { Findings } from './findings.ts';
import { rules } from './rules.ts';
import type { ValueTable } from './values.ts';

/** Sections whose required keys matter only when the section's feature is on. */
const switches: Readonly<Record<string, string>> = {
  sso: 'sso.enable',
  'transport.ws': 'transport.ws.sender.enable',
  'transport.wss': 'transport.wss.sender.enable',
  'apim.analytics': 'apim.analytics.enable',
};

/** Reports inert keys, missing required keys and broken rules. */
export function check(table: ValueTable, catalog: Catalog, findings: Findings): void {
  reportInert(table, findings);
  for (const keys of catalog.sections) {
    const { section } = keys;
    const required = keysOf(keys).filter((key) => isDemanded(key));
    if (required.length === 0 || !isOn(table, section.path)) continue;
    for (const written of tablesAt(table, section.path)) {
      for (const key of required) reportMissing(written, key, findings);
    }
  }
  for (const rule of rules) rule(table, findings);
}

/** One warning for each key, also when an array of tables repeats it. */
function reportInert(table: ValueTable, findings: Findings, seen: Set<string> = new Set()): void {
  for (const value of table.values.values()) {
    if (value.key.treatment !== 'inert' || value.source.kind !== 'file' || seen.has(value.key.path)) continue;
    seen.add(value.key.path);
    findings.add('MR_CONFIG_INERT_KEY', {
      severity: 'warning',
      message: `${value.source.written} is accepted and has no effect here: ${value.key.effect.replace(/\.$/, '')}`,
      position: value.source.position,
    });
  }
  for (const item of [...table.lists.values()].flat()) reportInert(item, findings, seen);
}

function isDemanded(key: Key<unknown>): boolean {
  return key.required && key.default === undefined && key.whenAbsent === undefined;
}

function isOn(table: ValueTable, sectionPath: string): boolean {
  const path = switches[sectionPath];
  return path === undefined || table.values.get(path)?.typed === true;
}

interface WrittenTable {
  readonly table: ValueTable;
  /** The section's path with the names that the file chose. */
  readonly path: string;
}

/** Every place where the section is written: the table itself, or the items of its array. */
function tablesAt(table: ValueTable, sectionPath: string): WrittenTable[] {
  const here: WrittenTable[] = [];
  const pattern = new PathPattern(sectionPath);
  for (const path of table.headers.keys()) if (pattern.matches(path)) here.push({ table, path });
  for (const [path, items] of table.lists) {
    if (pattern.matches(path)) here.push(...items.map((item) => ({ table: item, path })));
    here.push(...items.flatMap((item) => tablesAt(item, sectionPath)));
  }
  return here;
}

function reportMissing(written: WrittenTable, key: Key<unknown>, findings: Findings): void {
  const path = `${written.path}.${key.name}`;
  if (written.table.written.has(path) || written.table.values.has(path)) return;
  findings.add('MR_CONFIG_MISSING_KEY', {
    message: `${key.name} is required in [${written.path}]: ${key.doc}`,
    position: written.table.headers.get(written.path) ?? written.table.position,
    hint: `add ${key.name.includes('.') ? `'${key.name}'` : key.name} = …`,
  });
}
