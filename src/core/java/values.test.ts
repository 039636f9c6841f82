import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeText, encodeText, isCharset } from './charsets.ts';
import { opensslCipherList, opensslCipherName } from './cipher-suites.ts';
import { jdbcOption, parseJdbcUrl } from './jdbc-url.ts';
import { formatJavaNumber, parseJavaDouble, parseJavaInteger, parseJavaLong } from './numbers.ts';

describe('numbers of Java', () => {
  it('are written as Double.toString does', () => {
    const rows: readonly (readonly [number, string])[] = [
      [9.0, '9.0'],
      [2.0e9, '2.0E9'],
      [1.0e-5, '1.0E-5'],
      [0.001, '0.001'],
      [9.9e-4, '9.9E-4'],
      [1.0e7, '1.0E7'],
      [9999999.0, '9999999.0'],
      [123456.789, '123456.789'],
      [-0.0, '-0.0'],
      [1.5e300, '1.5E300'],
      [100.0, '100.0'],
      [0.1, '0.1'],
      [1.0e21, '1.0E21'],
      [1.23456789e7, '1.23456789E7'],
      [NaN, 'NaN'],
      [-Infinity, '-Infinity'],
    ];
    for (const [value, expected] of rows) assert.equal(formatJavaNumber(value), expected);
  });

  it('are read as Integer, Long and Double do', () => {
    const integers = ['12', '+7', '-0', ' 1', '1.0', '', '2147483648', '1e3', '0x1'];
    assert.deepEqual(integers.map(parseJavaInteger), [
      12,
      7,
      0,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    const longs = ['9223372036854775807', '9223372036854775808', '-9223372036854775808'];
    assert.deepEqual(longs.map(parseJavaLong), [9223372036854775807n, undefined, -9223372036854775808n]);
    const doubles: readonly (readonly [string, number | undefined])[] = [
      [' 1.5 ', 1.5],
      ['.5', 0.5],
      ['5.', 5],
      ['1e3', 1000],
      ['1d', 1],
      ['1.5F', 1.5],
      ['-Infinity', -Infinity],
      ['0x1.8p1', 3],
      ['0x10', undefined],
      ['infinity', undefined],
      ['1,5', undefined],
      ['', undefined],
      ['e3', undefined],
    ];
    for (const [text, expected] of doubles) assert.equal(parseJavaDouble(text), expected, text);
    assert.ok(Number.isNaN(parseJavaDouble('NaN')));
  });
});

describe('character sets', () => {
  it('are known by the names and aliases of Java', () => {
    const rows: readonly (readonly [string, string, string])[] = [
      ['UTF-8', 'h\u00e9\u20ac\ud83d\ude00', '68c3a9e282acf09f9880'],
      ['utf8', '\ufeffx', 'efbbbf78'],
      ['ISO-8859-1', 'h\u00e9\u20ac', '68e93f'],
      ['latin1', '\ud83d\ude00', '3f'],
      ['ISO8859_15', '\u20ac', 'a4'],
      ['US-ASCII', 'a\u00e9', '613f'],
      ['windows-1252', '\u20ac', '80'],
      ['Cp1252', '\u20ac', '80'],
      ['UTF-16', 'a', 'feff0061'],
      ['UTF-16BE', 'a\u20ac', '006120ac'],
      ['UTF-16LE', 'a\u20ac', '6100ac20'],
      ['Shift_JIS', '\u65e5\u672c', '93fa967b'],
      ['EUC-JP', '\u65e5', 'c6fc'],
      ['GBK', '\u4e2d', 'd6d0'],
      ['Big5', '\u4e2d', 'a4a4'],
      ['KOI8-R', '\u0416', 'f6'],
    ];
    for (const [charset, text, hex] of rows) {
      assert.equal(Buffer.from(encodeText(text, charset)).toString('hex'), hex, charset);
      if (!hex.includes('3f')) assert.equal(decodeText(Buffer.from(hex, 'hex'), charset), text, charset);
    }
    assert.equal(decodeText(Buffer.from('fffe6100', 'hex'), 'UTF-16'), 'a');
    assert.equal(decodeText(Buffer.from('61ff62', 'hex'), 'UTF-8'), 'a\ufffdb');
  });

  it('that nobody knows are refused', () => {
    for (const charset of ['nope', 'base64', 'hex', '', '__proto__', 'constructor']) {
      assert.equal(isCharset(charset), false, charset);
      assert.throws(() => decodeText(Buffer.from('a'), charset), { code: 'MR_CHARSET', status: 415 }, charset);
    }
  });
});

describe('cipher suites', () => {
  it('are translated to the names of OpenSSL', () => {
    const rows: readonly (readonly [string, string | undefined])[] = [
      ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
      ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
      ['TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'DHE-RSA-CHACHA20-POLY1305'],
      ['TLS_RSA_WITH_AES_128_CBC_SHA256', 'AES128-SHA256'],
      ['SSL_RSA_WITH_3DES_EDE_CBC_SHA', 'DES-CBC3-SHA'],
      ['TLS_AES_128_GCM_SHA256', 'TLS_AES_128_GCM_SHA256'],
      ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
      ['SSL_RSA_WITH_RC4_128_MD5', undefined],
      ['nonsense', undefined],
    ];
    for (const [name, expected] of rows) assert.equal(opensslCipherName(name), expected, name);
    assert.deepEqual(
      opensslCipherList('TLS_AES_256_GCM_SHA384, TLS_KRB5_WITH_RC4_128_SHA,TLS_RSA_WITH_AES_128_CBC_SHA'),
      {
        ciphers: 'TLS_AES_256_GCM_SHA384:AES128-SHA',
        unknown: ['TLS_KRB5_WITH_RC4_128_SHA'],
      },
    );
  });
});

describe('JDBC URLs', () => {
  const facts = (url: string): unknown[] => {
    const { vendor, host, port, database, options } = parseJdbcUrl(url);
    return [vendor, host, port, database, options];
  };

  it('say vendor, place and options', () => {
    const rows: readonly (readonly [string, unknown[]])[] = [
      [
        'jdbc:mysql://db:3307/apim?useSSL=false&amp;autoReconnect=true',
        ['mysql', 'db', 3307, 'apim', { useSSL: 'false', autoReconnect: 'true' }],
      ],
      ['jdbc:mysql://db1,db2:3307/apim', ['mysql', 'db1', 3306, 'apim', {}]],
      ['jdbc:mariadb://db/x', ['mariadb', 'db', 3306, 'x', {}]],
      [
        'jdbc:postgresql://[::1]:5433/my%20db?sslmode=require',
        ['postgresql', '::1', 5433, 'my db', { sslmode: 'require' }],
      ],
      ['jdbc:postgresql:local', ['postgresql', 'localhost', 5432, 'local', {}]],
      ['jdbc:postgresql:///local', ['postgresql', 'localhost', 5432, 'local', {}]],
      [
        'jdbc:sqlserver://db:1444;databaseName=apim;SendStringParametersAsUnicode=false',
        ['sqlserver', 'db', 1444, 'apim', { databaseName: 'apim', SendStringParametersAsUnicode: 'false' }],
      ],
      ['jdbc:sqlserver://db\\SQL1;database=x', ['sqlserver', 'db', 1433, 'x', { database: 'x', instanceName: 'SQL1' }]],
      ['jdbc:oracle:thin:@db:1522:ORCL', ['oracle', 'db', 1522, 'ORCL', {}]],
      ['jdbc:oracle:thin:@//db/service.name', ['oracle', 'db', 1521, 'service.name', {}]],
      ['jdbc:db2://db:50001/name:progressiveStreaming=2;', ['db2', 'db', 50001, 'name', { progressiveStreaming: '2' }]],
      [
        'jdbc:h2:./repository/database/WSO2AM_DB;DB_CLOSE_ON_EXIT=FALSE;LOCK_TIMEOUT=60000',
        ['h2', '', 0, './repository/database/WSO2AM_DB', { DB_CLOSE_ON_EXIT: 'FALSE', LOCK_TIMEOUT: '60000' }],
      ],
      ['jdbc:h2:mem:test', ['h2', '', 0, 'test', {}]],
      ['jdbc:h2:tcp://db:9093/~/x', ['h2', 'db', 9093, '~/x', {}]],
    ];
    for (const [url, expected] of rows) assert.deepEqual(facts(url), expected, url);
    assert.equal(parseJdbcUrl('jdbc:oracle:thin:@db:1522/s').isService, true);
    assert.equal(parseJdbcUrl('jdbc:h2:mem:x').mode, 'mem');
    assert.equal(jdbcOption(parseJdbcUrl('jdbc:h2:x;ifexists=TRUE'), 'IFEXISTS'), 'TRUE');
  });

  it('that cannot be read are refused without showing their options', () => {
    for (const url of [
      'jdbc:sybase://x;password=secret',
      'mysql://x',
      'jdbc:mysql:x',
      'jdbc:oracle:thin:x',
      'jdbc:h2:',
      '',
    ]) {
      assert.throws(
        () => parseJdbcUrl(url),
        (error: Error & { code: string }) => error.code === 'MR_JDBC_URL' && !error.message.includes('secret'),
        url,
      );
    }
  });
});
