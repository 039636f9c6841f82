import { MillraceError } from '#errors';

/** The value of `--offset`; 0 when absent. @throws MillraceError when it is no whole number that ports can take */
export function offsetOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const offset = Number(text);
  if (/^\d+$/.test(text) && offset <= 50_000) return offset;
  throw new MillraceError({
    code: 'MR_CLI_OFFSET',
    message: `--offset must be a whole number from 0 to 50000; found "${text}"`,
  });
}

/** The properties of the process that `-Dname=value` and `--define name=value` give, the last one of a name winning. */
export function systemPropertiesOf(rawArgs: readonly string[]): Readonly<Record<string, string>> {
  const properties: Record<string, string> = {};
  for (const [index, word] of rawArgs.entries()) {
    const text = word === '--define' ? (rawArgs[index + 1] ?? '') : /^(?:-D|--define=)(.+)$/s.exec(word)?.[1];
    if (text === undefined) continue;
    const [, name, value = ''] = /^([^=]+)(?:=(.*))?$/s.exec(text) ?? [];
    if (name === undefined) {
      throw new MillraceError({ code: 'MR_CLI_DEFINE', message: `-D and --define take name=value; found "${text}"` });
    }
    properties[name] = value;
  }
  return properties;
}
