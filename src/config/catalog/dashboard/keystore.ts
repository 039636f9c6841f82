import { defineSection, key } from '../define.ts';
import { secret, secretBag, text } from '../types.ts';

export const dashboardKeystore = defineSection({
  path: 'keystore',
  file: 'dashboard',
  doc: 'The key pair of the web server.',
  keys: {
    fileName: key('file_name', text(), {
      required: true,
      default: 'conf/security/dashboard.jks',
      doc: 'Keystore for TLS toward browsers.',
      mapped:
        'read the JKS or PKCS12 file directly and pass key and certificate chain to the TLS server; resolve relative to the dashboard home, accept absolute paths too.',
    }),
    password: key('password', secret(), {
      required: true,
      doc: 'Keystore password.',
      mapped: 'password that opens (and integrity-checks) the keystore.',
    }),
    keyPassword: key('key_password', secret(), {
      required: true,
      doc: 'Private key password.',
      mapped:
        'password that decrypts the private key entry (JKS); for PKCS12 falls back to the store password when it does not match.',
    }),
  },
});

export const dashboardTruststore = defineSection({
  path: 'truststore',
  file: 'dashboard',
  doc: 'Certificates that are trusted.',
  keys: {
    fileName: key('file_name', text(), {
      required: true,
      note: 'the original ships conf/security/client-truststore.jks',
      doc: 'Trust store with trusted certificates.',
      mapped: 'certificates become the ca list of every outgoing TLS connection (identity provider, runtimes).',
    }),
    password: key('password', secret(), {
      required: true,
      doc: 'Trust store password.',
      mapped: 'password that opens the trust store.',
    }),
  },
});

export const dashboardSecrets = defineSection({
  path: 'secrets',
  file: 'dashboard',
  doc: 'Encrypted values, by alias.',
  keys: {
    values: key('<alias>', secretBag(), {
      additional: true,
      doc: 'An encrypted value under an alias.',
      effect: '`$secret{alias}` stands for it anywhere in the file.',
    }),
  },
});
