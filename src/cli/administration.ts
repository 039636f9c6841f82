import process from 'node:process';
import { configureLog } from '#core';
import { MillraceError, messageOf } from '#errors';
import { superTenant, type Administration, type Tenant } from '#identity';
import { openHomeAdministration } from '#server';
import { recordChange, type CommandChange } from './audit-file.ts';
import { hiddenPrompt } from './hidden-prompt.ts';
import { readFirstLine } from './standard-input.ts';

const output = {
  type: 'enum' as const,
  options: ['table', 'json'],
  description: 'Form of the output',
  default: 'table',
};

/** Options of every command that administers users, tenants and clients. */
export const administrationOptions = {
  home: { type: 'string', description: 'Directory of the home', default: '.', valueHint: 'DIR' },
  output,
} as const;

/** The option of commands that act in one tenant. */
export const tenantOption = {
  tenant: { type: 'string', description: 'Domain of the tenant; carbon.super when absent', valueHint: 'DOMAIN' },
} as const;

export interface AdministrationArguments {
  readonly home: string;
  readonly output: string;
  readonly tenant?: string | undefined;
}

/** A table on terminals, JSON on request. */
export type Rows = readonly Readonly<Record<string, string | number | boolean>>[];

/** Runs `work` on the home's database and prints the rows that it gives. */
export async function administer(
  args: AdministrationArguments,
  work: (administration: Administration, tenant: Tenant) => Promise<Rows | string>,
): Promise<void> {
  quietly();
  await using administration = await openHomeAdministration(args.home);
  const tenant = args.tenant === undefined ? superTenant : await administration.tenants.find(args.tenant);
  if (!tenant) throw new MillraceError({ code: 'MR_TENANT_UNKNOWN', message: `There is no tenant ${args.tenant}` });
  printRows(await work(administration, tenant), args.output);
}

/** The same for work that changes something, with a record of it, and of its failure, in the home's `logs/audit.log`. */
export async function change(
  args: AdministrationArguments,
  facts: CommandChange,
  work: (administration: Administration, tenant: Tenant) => Promise<Rows | string>,
): Promise<void> {
  await administer(args, async (administration, tenant) => {
    const about = { ...facts, tenant: tenant.domain };
    let result: Rows | string;
    try {
      result = await work(administration, tenant);
    } catch (error) {
      recordChange(args.home, { ...about, outcome: 'failure', detail: { reason: messageOf(error) } });
      throw error;
    }
    recordChange(args.home, { ...about, outcome: 'success' });
    return result;
  });
}

/** What is printed is for programs too; only what goes wrong is worth more lines. */
export function quietly(): void {
  configureLog({ level: 'error', format: 'pretty', destination: process.stderr });
}

/** Prints rows, or what there is to say, as a table or as JSON. */
export function printRows(result: Rows | string, output: string): void {
  if (typeof result === 'string') console.log(output === 'json' ? JSON.stringify({ message: result }) : result);
  else if (output === 'json') console.log(JSON.stringify(result, undefined, 2));
  else printTable(result);
}

function printTable(rows: Rows): void {
  const [first] = rows;
  if (!first) return;
  const names = Object.keys(first);
  const lines = [names.map((name) => name.toUpperCase()), ...rows.map((row) => names.map((name) => String(row[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines) {
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** A password: asked for on a terminal, otherwise the first line of standard input. */
export async function readPassword(label: string): Promise<string> {
  const password = (await hiddenPrompt?.(label)) ?? (await readFirstLine());
  if (password !== '') return password;
  throw new MillraceError({ code: 'MR_USER_PASSWORD', message: 'The password is empty' });
}

/** Names in an option, divided by commas. */
export function listOf(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
