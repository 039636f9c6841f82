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
