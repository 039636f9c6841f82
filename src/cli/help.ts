import type { CommandDef, Resolvable } from 'citty';

/**
 * The command that the words of a command line name, ready to have its usage shown, and the command above it.
 *
 * @param main Command of the program
 * @param args Words after the program's name; the first that names no command ends the search
 */
export async function commandToShow(main: object, args: readonly string[]): Promise<[CommandDef, CommandDef?]> {
  const { command, parent } = await commandNamed(main, args);
  return parent ? [await listed(command), parent] : [await listed(command)];
}

/** A command of the command line. */
export interface NamedCommand {
  readonly command: CommandDef;
  /** The command that it belongs to. */
  readonly parent: CommandDef | undefined;
  /** The words behind its name. */
  readonly rest: readonly string[];
}

/** Finds the command that the first words name; the program's own when they name none. */
export async function commandNamed(main: object, words: readonly string[]): Promise<NamedCommand> {
  // Each command has argument types of its own, which are not needed here.
  let command = main as CommandDef;
  let parent: CommandDef | undefined;
  let count = 0;
  for (const word of words) {
    const nested = await subCommandOf(command, word);
    if (!nested) break;
    parent = command;
    command = nested;
    count++;
  }
  return { command, parent, rest: words.slice(count) };
}

/** A command with its sub-commands described by their first sentence alone, so that the list of them can be read. */
async function listed(command: CommandDef): Promise<CommandDef> {
  const nested = Object.entries(await subCommandsOf(command));
  if (nested.length === 0) return command;
  const described = await Promise.all(
    nested.map(async ([name, definition]): Promise<[string, CommandDef]> => {
      const meta = await resolved(definition.meta);
      return [name, { ...definition, meta: { ...meta, description: firstSentence(meta?.description ?? '') } }];
    }),
  );
  return { ...command, subCommands: Object.fromEntries(described) };
}

/** One of the commands that belong to another; the others are not loaded. */
async function subCommandOf(command: CommandDef, name: string): Promise<CommandDef | undefined> {
  const nested = (await resolved(command.subCommands)) ?? {};
  return Object.hasOwn(nested, name) ? resolved(nested[name]) : undefined;
}

async function subCommandsOf(command: CommandDef): Promise<Record<string, CommandDef>> {
  const nested = (await resolved(command.subCommands)) ?? {};
  const entries = await Promise.all(
    Object.entries(nested).map(async ([name, definition]) => [name, await resolved(definition)] as const),
  );
  return Object.fromEntries(entries);
}

/** The value itself, or what the function makes that stands in for it. */
export async function resolved<T>(value: Resolvable<T>): Promise<T> {
  return typeof value === 'function' ? await (value as () => T | Promise<T>)() : await value;
}

function firstSentence(description: string): string {
  return /^(?:[^.:\n]|[.:](?=\S))+/.exec(description)?.[0] ?? '';
}
