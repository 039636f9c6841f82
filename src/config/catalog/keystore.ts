import { defineSection, key } from './define.ts';
import { boolean, oneOf, secret, secretBag, text } from './types.ts';

const keyPairKeys = {
  fileName: key('file_name', text(), {
    reload: true,
    additional: true,
    doc: 'File of the key store.',
    mapped: 'JKS or PKCS12, below conf/security when the path is relative.',
  }),
  type: key('type', text(), {
    reload: true,
    additional: true,
    doc: 'Kind of the key store.',
    mapped: 'JKS or PKCS12; the content decides when it is something else.',
  }),
  password: key('password', secret(), {
    reload: true,
    additional: true,
    doc: 'Password of the key store.',
    mapped: 'opens the key store.',
  }),
  alias: key('alias', text(), {
    reload: true,
    additional: true,
    doc: 'Name of the key inside the key store.',
    mapped: 'the key pair that is used.',
  }),
  keyPassword: key('key_password', secret(), {
    reload: true,
    additional: true,
    doc: 'Password of the key inside the key store.',
    mapped: 'opens the key; the password of the key store when absent.',
  }),
};

export const keystoreTls = defineSection({
  path: 'keystore.tls',
  doc: 'The key pair of TLS listeners; that of keystore.primary when absent.',
  keys: keyPairKeys,
});

export const keystorePrimary = defineSection({
  path: 'keystore.primary',
  doc: 'The key pair that signs and encrypts; that of keystore.tls when absent.',
  keys: keyPairKeys,
});

export const keystoreInternal = defineSection({
  path: 'keystore.internal',
  doc: 'The key pair that encrypts secrets; that of keystore.primary when absent.',
  keys: {
    ...keyPairKeys,
    type: key('type', text(), {
      reload: true,
      additional: true,
      doc: 'Kind of the key store.',
      inert: 'the content of the file says what it is.',
    }),
  },
});

export const truststore = defineSection({
  path: 'truststore',
  doc: 'Certificates that are trusted.',
  keys: {
    fileName: key('file_name', text(), {
      reload: true,
      additional: true,
      doc: 'File of the trust store.',
      mapped: 'certificates that clients and back ends are checked against; read again when it changes.',
    }),
    type: key('type', text(), {
      reload: true,
      additional: true,
      doc: 'Kind of the trust store.',
      mapped: 'JKS or PKCS12; the content decides when it is something else.',
    }),
    password: key('password', secret(), {
      reload: true,
      additional: true,
      doc: 'Password of the trust store.',
      mapped: 'opens the trust store.',
    }),
    alias: key('alias', text(), {
      additional: true,
      doc: 'Name of a symmetric key.',
      inert: 'only the symmetric encryption of the original read it.',
    }),
    algorithm: key('algorithm', text(), {
      additional: true,
      doc: 'Algorithm of a symmetric key.',
      inert: 'only the symmetric encryption of the original read it.',
    }),
  },
});

export const encryption = defineSection({
  path: 'encryption',
  doc: 'Encryption of stored values.',
  keys: {
    type: key('type', oneOf('asymmetric', 'symmetric'), {
      additional: true,
      doc: 'How stored values are encrypted.',
      mapped:
        'symmetric: with the key below, which must be there; ' +
        'asymmetric: with a key that comes from keystore.internal, else one that the home makes for itself.',
    }),
    key: key('key', secret(), {
      additional: true,
      doc: 'Key of the symmetric internal crypto provider.',
      effect: 'AES-GCM key (hex) of encrypted database values.',
    }),
  },
});

export const secrets = defineSection({
  path: 'secrets',
  doc: 'Encrypted values, by alias.',
  keys: {
    values: key('<alias>', secretBag(), {
      additional: true,
      doc: 'An encrypted value under an alias.',
      effect: '`$secret{alias}` stands for it anywhere in the file.',
    }),
  },
});

export const runtimeSecrets = defineSection({
  path: 'runtime_secrets',
  doc: 'Secrets that are supplied at run time.',
  keys: {
    enable: key('enable', boolean(), {
      additional: true,
      doc: 'Aliases may be missing in [secrets] and come from the environment.',
      effect: 'unresolved aliases are looked up at run time.',
    }),
  },
});
