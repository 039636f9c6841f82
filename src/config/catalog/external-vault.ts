import { defineSection, key } from './define.ts';
import { duration, integer, oneOf, secret, text } from './types.ts';

export const externalVault = defineSection({
  path: 'external_vault',
  repeated: true,
  doc: 'A vault whose secrets expressions read.',
  keys: {
    name: key('name', oneOf('hashicorp'), {
      additional: true,
      doc: 'Kind of the vault.',
      effect: 'hashicorp:vault-lookup and hashicorp-vault read from it.',
    }),
    address: key('address', text(), { additional: true, doc: 'Base address.', effect: 'where requests go.' }),
    rootToken: key('rootToken', secret(), { additional: true, doc: 'Fixed token.', effect: 'used as it is.' }),
    roleId: key('roleId', text(), {
      additional: true,
      doc: 'Role of the AppRole method.',
      effect: 'signs in with secretId.',
    }),
    secretId: key('secretId', secret(), {
      additional: true,
      doc: 'Secret of the role.',
      effect: 'signs in with roleId.',
    }),
    ldapUsername: key('ldapUsername', text(), {
      additional: true,
      doc: 'User of the LDAP method.',
      effect: 'signs in with ldapPassword.',
    }),
    ldapPassword: key('ldapPassword', secret(), {
      additional: true,
      doc: 'Password of that user.',
      effect: 'signs in with ldapUsername.',
    }),
    cacheableDuration: key('cacheableDuration', duration('ms'), {
      default: 15000,
      additional: true,
      doc: 'Time for which a secret is kept.',
      effect: 'younger secrets are not read again.',
    }),
    engineVersion: key('engineVersion', integer({ min: 1, max: 2 }), {
      default: 2,
      additional: true,
      doc: 'Version of the key-value engine.',
      effect: 'shape of paths and answers.',
    }),
    namespace: key('namespace', text(), {
      additional: true,
      doc: 'Namespace when the expression names none.',
      effect: 'header X-Vault-Namespace.',
    }),
    trustStoreFile: key('trustStoreFile', text(), {
      additional: true,
      doc: 'Certificates that are trusted.',
      inert: 'the trust store of the senders decides for every outgoing connection.',
    }),
    keyStoreFile: key('keyStoreFile', text(), {
      additional: true,
      doc: 'Certificate shown to the vault.',
      inert: 'the key store of the senders is shown on every outgoing connection.',
    }),
    keyStorePassword: key('keyStorePassword', secret(), {
      additional: true,
      doc: 'Password of that store.',
      inert: 'keyStoreFile has no effect.',
    }),
  },
});
