/** Object identifiers of PKCS12 files (RFC 7292) and of the attributes in them. */
export const pkcs12Objects = {
  data: '1.2.840.113549.1.7.1',
  encryptedData: '1.2.840.113549.1.7.6',
  keyBag: '1.2.840.113549.1.12.10.1.1',
  shroudedKeyBag: '1.2.840.113549.1.12.10.1.2',
  certificateBag: '1.2.840.113549.1.12.10.1.3',
  safeContentsBag: '1.2.840.113549.1.12.10.1.6',
  x509Certificate: '1.2.840.113549.1.9.22.1',
  friendlyName: '1.2.840.113549.1.9.20',
  localKeyId: '1.2.840.113549.1.9.21',
  /** Java lists a certificate without a key only when it has this attribute. */
  javaTrustedUsage: '2.16.840.1.113894.746875.1.1',
  pbes2: '1.2.840.113549.1.5.13',
  pbmac1: '1.2.840.113549.1.5.14',
  pbkdf2: '1.2.840.113549.1.5.12',
  aes256Cbc: '2.16.840.1.101.3.4.1.42',
  sha256: '2.16.840.1.101.3.4.2.1',
  hmacSha256: '1.2.840.113549.2.9',
} as const;
