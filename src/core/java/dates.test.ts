import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatJavaDate, formatJavaDateTime } from './date-format.ts';
import { parseJavaDate, parseJavaDateTime } from './date-parse.ts';
import { instantOf, zoneOffset } from './zones.ts';

/** Recorded from OpenJDK 17: `S` SimpleDateFormat, `D` DateTimeFormatter, both in English. */
const formatted: readonly (readonly ['S' | 'D', number, string, string, string])[] = [
  ['S', 0, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", 'UTC', '1970-01-01T00:00:00.000Z'],
  ['S', 0, 'M/d/yy h:mm a', 'UTC', '1/1/70 12:00 AM'],
  ['S', 0, 'EEE, d MMM yyyy HH:mm:ss Z', 'UTC', 'Thu, 1 Jan 1970 00:00:00 +0000'],
  ['S', 0, 'EEEE MMMM d', 'UTC', 'Thursday January 1'],
  ['S', 0, "''yy''", 'UTC', "'70'"],
  ['S', 0, 'G y u D w W F k K hh', 'UTC', 'AD 1970 4 1 1 1 1 24 0 12'],
  ['S', 0, "YYYY-'W'ww", 'UTC', '1970-W01'],
  ['S', 0, 'S SS SSSS', 'UTC', '0 00 0000'],
  ['S', 0, 'X XX XXX', 'UTC', 'Z Z Z'],
  ['S', 0, "dd.MM.yyyy 'o''clock'", 'UTC', "01.01.1970 o'clock"],
  ['S', 1767225599123, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", 'Europe/Berlin', '2026-01-01T00:59:59.123+01:00'],
  ['S', 1767225599123, 'M/d/yy h:mm a', 'Europe/Berlin', '1/1/26 12:59 AM'],
  ['S', 1767225599123, 'EEE, d MMM yyyy HH:mm:ss Z', 'Europe/Berlin', 'Thu, 1 Jan 2026 00:59:59 +0100'],
  ['S', 1767225599123, 'EEEE MMMM d', 'Europe/Berlin', 'Thursday January 1'],
  ['S', 1767225599123, "''yy''", 'Europe/Berlin', "'26'"],
  ['S', 1767225599123, 'G y u D w W F k K hh', 'Europe/Berlin', 'AD 2026 4 1 1 1 1 24 0 12'],
  ['S', 1767225599123, "YYYY-'W'ww", 'Europe/Berlin', '2026-W01'],
  ['S', 1767225599123, 'S SS SSSS', 'Europe/Berlin', '123 123 0123'],
  ['S', 1767225599123, 'X XX XXX', 'Europe/Berlin', '+01 +0100 +01:00'],
  ['S', 1767225599123, "dd.MM.yyyy 'o''clock'", 'Europe/Berlin', "01.01.2026 o'clock"],
  ['S', 1772706905007, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", 'Asia/Kolkata', '2026-03-05T16:05:05.007+05:30'],
  ['S', 1772706905007, 'M/d/yy h:mm a', 'Asia/Kolkata', '3/5/26 4:05 PM'],
  ['S', 1772706905007, 'EEE, d MMM yyyy HH:mm:ss Z', 'Asia/Kolkata', 'Thu, 5 Mar 2026 16:05:05 +0530'],
  ['S', 1772706905007, 'EEEE MMMM d', 'Asia/Kolkata', 'Thursday March 5'],
  ['S', 1772706905007, "''yy''", 'Asia/Kolkata', "'26'"],
  ['S', 1772706905007, 'G y u D w W F k K hh', 'Asia/Kolkata', 'AD 2026 4 64 10 1 1 16 4 04'],
  ['S', 1772706905007, "YYYY-'W'ww", 'Asia/Kolkata', '2026-W10'],
  ['S', 1772706905007, 'S SS SSSS', 'Asia/Kolkata', '7 07 0007'],
  ['S', 1772706905007, 'X XX XXX', 'Asia/Kolkata', '+05 +0530 +05:30'],
  ['S', 1772706905007, "dd.MM.yyyy 'o''clock'", 'Asia/Kolkata', "05.03.2026 o'clock"],
  ['S', 951782400000, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", 'UTC', '2000-02-29T00:00:00.000Z'],
  ['S', 951782400000, 'M/d/yy h:mm a', 'UTC', '2/29/00 12:00 AM'],
  ['S', 951782400000, 'EEE, d MMM yyyy HH:mm:ss Z', 'UTC', 'Tue, 29 Feb 2000 00:00:00 +0000'],
  ['S', 951782400000, 'EEEE MMMM d', 'UTC', 'Tuesday February 29'],
  ['S', 951782400000, "''yy''", 'UTC', "'00'"],
  ['S', 951782400000, 'G y u D w W F k K hh', 'UTC', 'AD 2000 2 60 10 5 5 24 0 12'],
  ['S', 951782400000, "YYYY-'W'ww", 'UTC', '2000-W10'],
  ['S', 951782400000, 'S SS SSSS', 'UTC', '0 00 0000'],
  ['S', 951782400000, 'X XX XXX', 'UTC', 'Z Z Z'],
  ['S', 951782400000, "dd.MM.yyyy 'o''clock'", 'UTC', "29.02.2000 o'clock"],
  ['S', 1798761599999, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", 'Europe/Berlin', '2027-01-01T00:59:59.999+01:00'],
  ['S', 1798761599999, 'M/d/yy h:mm a', 'Europe/Berlin', '1/1/27 12:59 AM'],
  ['S', 1798761599999, 'EEE, d MMM yyyy HH:mm:ss Z', 'Europe/Berlin', 'Fri, 1 Jan 2027 00:59:59 +0100'],
  ['S', 1798761599999, 'EEEE MMMM d', 'Europe/Berlin', 'Friday January 1'],
  ['S', 1798761599999, "''yy''", 'Europe/Berlin', "'27'"],
  ['S', 1798761599999, 'G y u D w W F k K hh', 'Europe/Berlin', 'AD 2027 5 1 1 1 1 24 0 12'],
  ['S', 1798761599999, "YYYY-'W'ww", 'Europe/Berlin', '2027-W01'],
  ['S', 1798761599999, 'S SS SSSS', 'Europe/Berlin', '999 999 0999'],
  ['S', 1798761599999, 'X XX XXX', 'Europe/Berlin', '+01 +0100 +01:00'],
  ['S', 1798761599999, "dd.MM.yyyy 'o''clock'", 'Europe/Berlin', "01.01.2027 o'clock"],
  ['D', 0, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", 'UTC', '1970-01-01T00:00:00.000Z'],
  ['D', 0, 'dd/MM/uuuu hh:mm:ss a', 'UTC', '01/01/1970 12:00:00 AM'],
  ['D', 0, 'E, d MMM yyyy HH:mm:ss Z', 'UTC', 'Thu, 1 Jan 1970 00:00:00 +0000'],
  ['D', 0, 'EEEE MMMM d[ HH:mm]', 'UTC', 'Thursday January 1 00:00'],
  ['D', 0, 'Q QQQ q D w W e', 'UTC', '1 Q1 1 1 1 1 5'],
  ['D', 0, 'SSSSSS n A', 'UTC', '000000 0 0'],
  ['D', 0, 'x xx xxx X XX XXX', 'UTC', '+00 +0000 +00:00 Z Z Z'],
  ['D', 0, 'O OOOO ZZZZ ZZZZZ', 'UTC', 'GMT GMT GMT Z'],
  ['D', 0, 'VV', 'UTC', 'UTC'],
  ['D', 0, 'MMMMM EEEEE', 'UTC', 'J T'],
  ['D', 1767225599123, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", 'Europe/Berlin', '2026-01-01T00:59:59.123+01:00'],
  ['D', 1767225599123, 'dd/MM/uuuu hh:mm:ss a', 'Europe/Berlin', '01/01/2026 12:59:59 AM'],
  ['D', 1767225599123, 'E, d MMM yyyy HH:mm:ss Z', 'Europe/Berlin', 'Thu, 1 Jan 2026 00:59:59 +0100'],
  ['D', 1767225599123, 'EEEE MMMM d[ HH:mm]', 'Europe/Berlin', 'Thursday January 1 00:59'],
  ['D', 1767225599123, 'Q QQQ q D w W e', 'Europe/Berlin', '1 Q1 1 1 1 1 5'],
  ['D', 1767225599123, 'SSSSSS n A', 'Europe/Berlin', '123000 123000000 3599123'],
  ['D', 1767225599123, 'x xx xxx X XX XXX', 'Europe/Berlin', '+01 +0100 +01:00 +01 +0100 +01:00'],
  ['D', 1767225599123, 'O OOOO ZZZZ ZZZZZ', 'Europe/Berlin', 'GMT+1 GMT+01:00 GMT+01:00 +01:00'],
  ['D', 1767225599123, 'VV', 'Europe/Berlin', 'Europe/Berlin'],
  ['D', 1767225599123, 'MMMMM EEEEE', 'Europe/Berlin', 'J T'],
  ['D', 1772706905007, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", 'Asia/Kolkata', '2026-03-05T16:05:05.007+05:30'],
  ['D', 1772706905007, 'dd/MM/uuuu hh:mm:ss a', 'Asia/Kolkata', '05/03/2026 04:05:05 PM'],
  ['D', 1772706905007, 'E, d MMM yyyy HH:mm:ss Z', 'Asia/Kolkata', 'Thu, 5 Mar 2026 16:05:05 +0530'],
  ['D', 1772706905007, 'EEEE MMMM d[ HH:mm]', 'Asia/Kolkata', 'Thursday March 5 16:05'],
  ['D', 1772706905007, 'Q QQQ q D w W e', 'Asia/Kolkata', '1 Q1 1 64 10 1 5'],
  ['D', 1772706905007, 'SSSSSS n A', 'Asia/Kolkata', '007000 7000000 57905007'],
  ['D', 1772706905007, 'x xx xxx X XX XXX', 'Asia/Kolkata', '+0530 +0530 +05:30 +0530 +0530 +05:30'],
  ['D', 1772706905007, 'O OOOO ZZZZ ZZZZZ', 'Asia/Kolkata', 'GMT+5:30 GMT+05:30 GMT+05:30 +05:30'],
  ['D', 1772706905007, 'VV', 'Asia/Kolkata', 'Asia/Kolkata'],
  ['D', 1772706905007, 'MMMMM EEEEE', 'Asia/Kolkata', 'M T'],
  ['D', 951782400000, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", 'UTC', '2000-02-29T00:00:00.000Z'],
  ['D', 951782400000, 'dd/MM/uuuu hh:mm:ss a', 'UTC', '29/02/2000 12:00:00 AM'],
  ['D', 951782400000, 'E, d MMM yyyy HH:mm:ss Z', 'UTC', 'Tue, 29 Feb 2000 00:00:00 +0000'],
  ['D', 951782400000, 'EEEE MMMM d[ HH:mm]', 'UTC', 'Tuesday February 29 00:00'],
  ['D', 951782400000, 'Q QQQ q D w W e', 'UTC', '1 Q1 1 60 10 5 3'],
  ['D', 951782400000, 'SSSSSS n A', 'UTC', '000000 0 0'],
  ['D', 951782400000, 'x xx xxx X XX XXX', 'UTC', '+00 +0000 +00:00 Z Z Z'],
  ['D', 951782400000, 'O OOOO ZZZZ ZZZZZ', 'UTC', 'GMT GMT GMT Z'],
  ['D', 951782400000, 'VV', 'UTC', 'UTC'],
  ['D', 951782400000, 'MMMMM EEEEE', 'UTC', 'F T'],
  ['D', 1798761599999, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", 'Europe/Berlin', '2027-01-01T00:59:59.999+01:00'],
  ['D', 1798761599999, 'dd/MM/uuuu hh:mm:ss a', 'Europe/Berlin', '01/01/2027 12:59:59 AM'],
  ['D', 1798761599999, 'E, d MMM yyyy HH:mm:ss Z', 'Europe/Berlin', 'Fri, 1 Jan 2027 00:59:59 +0100'],
  ['D', 1798761599999, 'EEEE MMMM d[ HH:mm]', 'Europe/Berlin', 'Friday January 1 00:59'],
  ['D', 1798761599999, 'Q QQQ q D w W e', 'Europe/Berlin', '1 Q1 1 1 1 1 6'],
  ['D', 1798761599999, 'SSSSSS n A', 'Europe/Berlin', '999000 999000000 3599999'],
  ['D', 1798761599999, 'x xx xxx X XX XXX', 'Europe/Berlin', '+01 +0100 +01:00 +01 +0100 +01:00'],
  ['D', 1798761599999, 'O OOOO ZZZZ ZZZZZ', 'Europe/Berlin', 'GMT+1 GMT+01:00 GMT+01:00 +01:00'],
  ['D', 1798761599999, 'VV', 'Europe/Berlin', 'Europe/Berlin'],
  ['D', 1798761599999, 'MMMMM EEEEE', 'Europe/Berlin', 'J F'],
];

/** Recorded from SimpleDateFormat in the zone Europe/Berlin. */
const parsed: readonly (readonly [string, string, number | undefined])[] = [
  ['2026-03-05 10:15', 'yyyy-MM-dd HH:mm', 1772702100000],
  ['5 Mar 2026', 'd MMM yyyy', 1772665200000],
  ['2026-02-31', 'yyyy-MM-dd', 1772492400000],
  ['20260305T101500', "yyyyMMdd'T'HHmmss", 1772702100000],
  ['03/05/26 1:05 PM', 'MM/dd/yy h:mm a', 1772712300000],
  ['2026-03-05T10:15:00+0200', "yyyy-MM-dd'T'HH:mm:ssZ", 1772698500000],
  ['10:15', 'HH:mm', 33300000],
  ['x', 'yyyy', undefined],
];

describe('dates of Java', () => {
  it('are formatted as SimpleDateFormat and DateTimeFormatter do', () => {
    for (const [dialect, millis, pattern, zone, expected] of formatted) {
      const format = dialect === 'S' ? formatJavaDate : formatJavaDateTime;
      assert.equal(format(millis, pattern, zone), expected, `${dialect} ${pattern} ${zone} ${millis}`);
    }
  });

  it('are read as SimpleDateFormat does', () => {
    for (const [text, pattern, expected] of parsed) {
      assert.equal(parseJavaDate(text, pattern, 'Europe/Berlin'), expected, `${pattern} ${text}`);
    }
  });

  it('are read strictly by patterns of DateTimeFormatter, with optional parts', () => {
    const rows: readonly (readonly [string, string, number | undefined])[] = [
      ['2026-02-28', 'yyyy-MM-dd', Date.UTC(2026, 1, 28)],
      ['2026-02-31', 'yyyy-MM-dd', Date.UTC(2026, 1, 28)],
      ['2026-02-32', 'yyyy-MM-dd', undefined],
      ['2026-13-01', 'yyyy-MM-dd', undefined],
      ['2026-02-28 24:00', 'yyyy-MM-dd HH:mm', Date.UTC(2026, 2, 1)],
      ['2026-02-28 24:01', 'yyyy-MM-dd HH:mm', undefined],
      ['2026-02-28 10:60', 'yyyy-MM-dd HH:mm', undefined],
      ['2026-02-28 7:05', 'yyyy-MM-dd H:mm', Date.UTC(2026, 1, 28, 7, 5)],
      ['2026-02-28', 'yyyy-MM-dd[ HH:mm]', Date.UTC(2026, 1, 28)],
      ['2026-02-28 07:05', 'yyyy-MM-dd[ HH:mm]', Date.UTC(2026, 1, 28, 7, 5)],
      ['2026-02-28T07:05:00.25Z', "yyyy-MM-dd'T'HH:mm:ss.SSX", Date.UTC(2026, 1, 28, 7, 5, 0, 250)],
      ['2026-02-28 07:05 Asia/Kolkata', 'yyyy-MM-dd HH:mm VV', Date.UTC(2026, 1, 28, 1, 35)],
      ['2026-02-28 07:05 Nowhere', 'yyyy-MM-dd HH:mm VV', undefined],
      ['2026-02-28x', 'yyyy-MM-dd', undefined],
    ];
    for (const [text, pattern, expected] of rows) {
      assert.equal(parseJavaDateTime(text, pattern, 'UTC'), expected, `${pattern} ${text}`);
    }
  });

  it('refuse what is no pattern and what is no zone', () => {
    assert.throws(() => formatJavaDate(0, 'yyyy-bb', 'UTC'), {
      code: 'MR_JAVA_DATE_PATTERN',
      message: /^Unknown letter b at character 6 /,
    });
    assert.throws(() => formatJavaDate(0, "yyyy'T", 'UTC'), { code: 'MR_JAVA_DATE_PATTERN' });
    assert.throws(() => formatJavaDateTime(0, 'yyyy{', 'UTC'), { code: 'MR_JAVA_DATE_PATTERN' });
    assert.throws(() => formatJavaDate(0, 'yyyy', 'Mars/Base'), { code: 'MR_TIME_ZONE' });
  });

  it('cross changes of the clocks', () => {
    const summer = Date.UTC(2026, 2, 29, 1);
    assert.deepEqual([zoneOffset('Europe/Berlin', summer - 1), zoneOffset('Europe/Berlin', summer)], [60, 120]);
    assert.equal(instantOf('Europe/Berlin', Date.UTC(2026, 2, 29, 1, 59)), Date.UTC(2026, 2, 29, 0, 59));
    assert.equal(instantOf('Europe/Berlin', Date.UTC(2026, 2, 29, 3, 0)), summer);
    assert.equal(instantOf('Europe/Berlin', Date.UTC(2026, 5, 1, 12)), Date.UTC(2026, 5, 1, 10));
  });
});
