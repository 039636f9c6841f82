import { defineSection, key } from './define.ts';
import { boolean, secret, secretBag, text } from './types.ts';

export const keystoreTls = defineSection({
  path: 'keystore.tls',
  doc: 'The key pair of TLS listeners.',
  keys: {
    fileName: key('file_name', text(), {
      additional: true,
      doc: 'Keystores: TLS, signing/encryption, internal crypto.',
      mapped: 'JKS/PKCS12 read directly; internal and tls default to primary.',
    }),
    type: key('type', text(), {
      additional: true,
      doc: 'Keystores: TLS, signing/encryption, internal crypto.',
      mapped: 'JKS/PKCS12 read directly; internal and tls default to primary.',
    }),
    password: key('password', secret(), {
      additional: true,
      doc: 'Keystores: TLS, signing/encryption, internal crypto.',
      mapped: 'JKS/PKCS12 read directly; internal and tls default to primary.',
    }),
    alias: key('alias', text(), {
      additional: true,
      doc: 'Keystores: TLS, signing/encryption, internal crypto.',
      mapped: 'JKS/PKCS12 read directly; internal and tls default to primary.',
    }),
    keyPassword: key('key_password', secret(), {
      additional: true,
      doc: 'Keystores: TLS, signing/encryption, internal crypto.',
      mapped: 'JKS/PKCS12 read directly; internal and tls default to primary.',
    }),
  },
});

export const truststore = defineSection({
  path: 'truststore',
  doc: 'Certificates that are trusted.',
  keys: {
    fileName: key('file_name', text(), {
      note: 'client-truststore.jks/.p12',
      additional: true,
      doc: 'Trusted certificates.',
      mapped: 'ca list; reloaded on change.',
    }),
    type: key('type', text(), {
      note: 'client-truststore.jks/.p12',
      additional: true,
      doc: 'Trusted certificates.',
      mapped: 'ca list; reloaded on change.',
    }),
    password: key('password', secret(), {
      note: 'client-truststore.jks/.p12',
      additional: true,
      doc: 'Trusted certificates.',
      mapped: 'ca list; reloaded on change.',
    }),
    alias: key('alias', text(), {
      additional: true,
      doc: 'Integrator only: symmetric key.',
      inert: 'leftovers of the symmetric crypto provider.',
    }),
    algorithm: key('algorithm', text(), {
      additional: true,
      doc: 'Integrator only: symmetric key.',
      inert: 'leftovers of the symmetric crypto provider.',
    }),
  },
});

export const encryption = defineSection({
  path: 'encryption',
  doc: 'Encryption of stored values.',
  keys: {
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
    values: key('<alias>', secretBag(), { additional: true, doc: 'Secret table.', effect: 'section 2.6.' }),
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
