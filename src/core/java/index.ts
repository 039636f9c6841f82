export { decodeText, encodeText, isCharset } from './charsets.ts';
export { opensslCipherList, opensslCipherName } from './cipher-suites.ts';
export { formatJavaDate, formatJavaDateTime } from './date-format.ts';
export { parseJavaDate, parseJavaDateTime } from './date-parse.ts';
export { jdbcOption, parseJdbcUrl, type JdbcUrl, type JdbcVendor } from './jdbc-url.ts';
export { formatJavaNumber, parseJavaDouble, parseJavaInteger, parseJavaLong } from './numbers.ts';
export { compileJavaRegex, type JavaMatch, type JavaRegex } from './regex/regex.ts';
export { RegexSyntaxError, RegexUnsupportedError, type RegexFlags } from './regex/syntax.ts';
export { fixedOffset, instantOf, zoneOffset } from './zones.ts';
