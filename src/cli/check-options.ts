import type { ArgDef, ArgsDef, CommandDef } from 'citty';
import { MillraceError } from '#errors';
import { commandNamed, resolved } from './help.ts';

/**
 * Refuses options that a command does not have; the parser would pass over them, and over what was meant by them.
 *
 * @param main Command of the program
 * @param words Words after the program's name
 * @throws MillraceError `MR_CLI_OPTION` that names the option and the one that may have been meant
 */
export async function checkOptions(main: object, words: readonly string[]): Promise<void> {
  const { command, rest } = await commandNamed(main, words);
  const args = (await resolved<ArgsDef | undefined>(command.args)) ?? {};
  const known = new Map(Object.entries(args).flatMap(([name, facts]) => namesOf(name, facts)));
  let isValue = false;
  for (const word of rest) {
    if (word === '--') return;
    if (isValue || !/^-[^\d]/.test(word)) {
      isValue = false;
      continue;
    }
    const option = word.split('=', 1)[0] ?? '';
    const facts = known.get(option);
    if (facts === undefined && !(option.startsWith('-D') && known.has('-D')))
      throw unknownOption(option, command, known);
    isValue = facts !== undefined && facts.type !== 'boolean' && !word.includes('=');
  }
}

/** Every way to write an option. */
function namesOf(name: string, facts: ArgDef): [option: string, facts: ArgDef][] {
  if (facts.type === 'positional') return [];
  const aliases = [('alias' in facts ? facts.alias : undefined) ?? []].flat();
  const long = [name, ...aliases].flatMap((each) => (each.length === 1 ? [`-${each}`] : [`--${each}`]));
  return [...long, ...(facts.type === 'boolean' ? [`--no-${name}`] : [])].map((option) => [option, facts]);
}

function unknownOption(option: string, command: CommandDef, known: ReadonlyMap<string, ArgDef>): MillraceError {
  const near = [...known.keys()].find((each) => each.startsWith(option) || option.startsWith(each));
  const all = [...known.keys()].join(', ');
  const hint = near === undefined ? (all === '' ? 'it has none' : `it has ${all}`) : `did you mean ${near}?`;
  const name = typeof command.meta === 'object' && 'name' in command.meta ? ` of ${command.meta.name}` : '';
  return new MillraceError({ code: 'MR_CLI_OPTION', message: `${option} is no option${name}; ${hint}` });
}
