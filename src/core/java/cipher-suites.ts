/**
 * The OpenSSL name of a cipher suite that is named as in Java (IANA's names, with `SSL_` for old ones). Names that
 * are OpenSSL's already, and those of TLS 1.3, stay as they are; undefined for what OpenSSL never had or has dropped.
 */
export function opensslCipherName(name: string): string | undefined {
  const suite = name.trim();
  const parts = /^(?:TLS|SSL)_(.+)_WITH_(.+?)_(SHA\d*|MD5)$/.exec(suite);
  if (!parts) return /^TLS_(?:AES|CHACHA20)_|^[A-Z][A-Z\d]*(?:-[A-Z\d]+)+$/.test(suite) ? suite : undefined;
  const [, exchange = '', cipher = '', hash = ''] = parts;
  const key = keyExchanges[exchange];
  const bulk = ciphers[cipher];
  if (key === undefined || bulk === undefined) return undefined;
  // The hash of a ChaCha20 suite is not part of OpenSSL's name.
  return [key, bulk, cipher === 'CHACHA20_POLY1305' ? '' : hash].filter((part) => part !== '').join('-');
}

/** A list of Java's names, separated by commas or blanks, as OpenSSL's list, and the names that were left out. */
export function opensslCipherList(names: string): { readonly ciphers: string; readonly unknown: readonly string[] } {
  const all = names.split(/[\s,:;]+/).filter((name) => name !== '');
  const unknown = all.filter((name) => opensslCipherName(name) === undefined);
  const known = all.map(opensslCipherName).filter((name) => name !== undefined);
  return { ciphers: [...new Set(known)].join(':'), unknown };
}

const keyExchanges: Readonly<Record<string, string>> = {
  RSA: '',
  DHE_RSA: 'DHE-RSA',
  DHE_DSS: 'DHE-DSS',
  ECDHE_RSA: 'ECDHE-RSA',
  ECDHE_ECDSA: 'ECDHE-ECDSA',
  ECDH_RSA: 'ECDH-RSA',
  ECDH_ECDSA: 'ECDH-ECDSA',
  PSK: 'PSK',
};

const ciphers: Readonly<Record<string, string>> = {
  AES_128_GCM: 'AES128-GCM',
  AES_256_GCM: 'AES256-GCM',
  AES_128_CBC: 'AES128',
  AES_256_CBC: 'AES256',
  CHACHA20_POLY1305: 'CHACHA20-POLY1305',
  '3DES_EDE_CBC': 'DES-CBC3',
  CAMELLIA_128_CBC: 'CAMELLIA128',
  CAMELLIA_256_CBC: 'CAMELLIA256',
};
