import { openSecretCipher, type Config } from '#config';
import { messageOf } from '#errors';
import type { EffectRow } from './effect-row.ts';
import { loggedIn, ports } from './effect-server.ts';
import { fixtures, key, secure, shownName, store, stores, toBackEnd, withCertificate } from './effect-tls.ts';

const trusting = '[truststore]\nfile_name = "local.p12"\npassword = "one"\n';

/** Warnings about the kind of a key store. */
async function kindWarnings(text: string): Promise<string[]> {
  const messages = await loggedIn(text, stores, async () => undefined);
  return messages.filter((message) => message.includes('another kind'));
}

/** Whether the key pair for secrets can be used. */
async function secretKey(config: Config): Promise<string> {
  try {
    const cipher = await openSecretCipher(config, { home: fixtures });
    return cipher.decrypt(cipher.encrypt('opened'));
  } catch (error) {
    return messageOf(error);
  }
}

export const rows: readonly EffectRow[] = [
  {
    key: 'keystore.internal.key_password',
    first: 'keypass12',
    second: 'storepass',
    given: '[keystore.internal]\nfile_name = "server.jks"\npassword = "storepass"\nalias = "server"\n',
    observe: secretKey,
  },
  {
    key: `${key}.listener.key_store.file_name`,
    first: 'local.p12',
    second: 'stranger-one.p12',
    given: `${secure}listener.key_store.password = "one"\n`,
    observe: (_, text) => shownName(text),
  },
  {
    key: `${key}.listener.key_store.password`,
    first: 'one',
    second: 'two',
    given: `${secure}listener.key_store.file_name = "local.p12"\n`,
    observe: (_, text) => shownName(text),
  },
  {
    key: `${key}.listener.key_store.key_password`,
    first: 'keypass12',
    second: 'storepass',
    given: `${secure}listener.key_store.file_name = "server.jks"\nlistener.key_store.password = "storepass"\n`,
    observe: (_, text) => shownName(text),
  },
  {
    key: `${key}.listener.key_store.type`,
    first: 'PKCS12',
    second: 'JKS',
    given: store('listener.key_store'),
    alone: true,
    observe: (_, text) => kindWarnings(text),
  },
  {
    key: `${key}.listener.trust_store.file_name`,
    first: 'local.p12',
    second: 'stranger-one.p12',
    given: `${secure}listener.parameters.SSLVerifyClient = "require"\nlistener.trust_store.password = "one"\n`,
    observe: (_, text) => withCertificate(text),
  },
  {
    key: `${key}.listener.trust_store.password`,
    first: 'one',
    second: 'two',
    given: `${secure}listener.parameters.SSLVerifyClient = "require"\nlistener.trust_store.file_name = "local.p12"\n`,
    observe: (_, text) => withCertificate(text),
  },
  {
    key: `${key}.listener.trust_store.type`,
    first: 'PKCS12',
    second: 'JKS',
    given: store('listener.trust_store'),
    alone: true,
    observe: (_, text) => kindWarnings(text),
  },
  {
    key: `${key}.sender.key_store.file_name`,
    first: 'local.p12',
    second: 'stranger-one.p12',
    given: `${trusting}${secure}sender.key_store.password = "one"\n`,
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: `${key}.sender.key_store.password`,
    first: 'one',
    second: 'two',
    given: `${trusting}${secure}sender.key_store.file_name = "local.p12"\n`,
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: `${key}.sender.key_store.key_password`,
    first: 'keypass12',
    second: 'storepass',
    given: `${trusting}${secure}sender.key_store.file_name = "server.jks"\nsender.key_store.password = "storepass"\n`,
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: `${key}.sender.key_store.type`,
    first: 'PKCS12',
    second: 'JKS',
    given: store('sender.key_store'),
    alone: true,
    observe: (_, text) => kindWarnings(text),
  },
  {
    key: `${key}.sender.trust_store.file_name`,
    first: 'local.p12',
    second: 'stranger-one.p12',
    given: `${secure}sender.trust_store.password = "one"\n`,
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: `${key}.sender.trust_store.password`,
    first: 'one',
    second: 'two',
    given: `${secure}sender.trust_store.file_name = "local.p12"\n`,
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: `${key}.sender.trust_store.type`,
    first: 'PKCS12',
    second: 'JKS',
    given: store('sender.trust_store'),
    alone: true,
    observe: (_, text) => kindWarnings(text),
  },
  {
    key: 'truststore.file_name',
    first: 'local.p12',
    second: 'stranger-one.p12',
    given: `${ports}[truststore]\npassword = "one"\n`,
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: 'truststore.password',
    first: 'one',
    second: 'two',
    given: `${ports}[truststore]\nfile_name = "local.p12"\n`,
    observe: (_, text) => toBackEnd(text),
  },
  {
    key: 'truststore.type',
    first: 'PKCS12',
    second: 'JKS',
    given: `${ports}[truststore]\nfile_name = "local.p12"\npassword = "one"\n`,
    alone: true,
    observe: (_, text) => kindWarnings(text),
  },
  ...['keystore.tls', 'keystore.primary'].flatMap((section): EffectRow[] => [
    {
      key: `${section}.type`,
      first: 'PKCS12',
      second: 'JKS',
      given: `${ports}[${section}]\nfile_name = "local.p12"\npassword = "one"\n`,
      alone: true,
      observe: (_, text) => kindWarnings(text),
    },
    {
      key: `${section}.key_password`,
      first: 'keypass12',
      second: 'storepass',
      given: `${ports}[${section}]\nfile_name = "server.jks"\npassword = "storepass"\n`,
      observe: (_, text) => shownName(text),
    },
  ]),
];
