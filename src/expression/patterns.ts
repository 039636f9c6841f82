import { compileJavaRegex } from '#core/java';

/**
 * A test whether a whole text matches a regular expression of Java; `flags` are the letters behind its closing slash.
 *
 * @throws MillraceError for a malformed pattern
 */
export function compilePattern(pattern: string, flags: string): (text: string) => boolean {
  const regex = compileJavaRegex(pattern, {
    caseInsensitive: flags.includes('i'),
    multiline: flags.includes('m'),
    dotAll: flags.includes('s'),
    comments: flags.includes('x'),
    unixLines: flags.includes('d'),
    unicodeCase: flags.includes('u'),
  });
  return (text) => regex.matches(text);
}

/** `String.split` of Java: parts at the end that are empty are dropped. @throws MillraceError for a bad pattern */
export function splitByPattern(text: string, pattern: string): string[] {
  return compileJavaRegex(pattern).split(text);
}
