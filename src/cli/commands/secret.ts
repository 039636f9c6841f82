import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { defineCommand } from 'citty';
import {
  encryptSecrets,
  listSecrets,
  loadConfig,
  openSecretCipher,
  setSecret,
  type SecretCipher,
  type SecretsEdit,
} from '#config';
import { MillraceError } from '#errors';
import { hiddenPrompt } from '../hidden-prompt.ts';
import { readStandardInput } from '../standard-input.ts';
import { configOptions, fail, namedFile, type ConfigArguments } from './config-options.ts';

const cipherOptions = {
  ...configOptions,
  transformation: {
    type: 'string',
    description: 'Java name of the encryption; RSA/ECB/OAEPwithSHA1andMGF1Padding when absent',
    valueHint: 'NAME',
  },
} as const;

interface CipherArguments extends ConfigArguments {
  readonly transformation?: string | undefined;
}

const encrypt = defineCommand({
  meta: {
    name: 'encrypt',
    description:
      'Encrypts every value of [secrets] that stands in square brackets, in the file itself.\n\n' +
      'Example: millrace secret encrypt --home ./home\n',
  },
  args: cipherOptions,
  run: ({ args }) =>
    edit(args, (text, { file, cipher }) => encryptSecrets(text, file, (plainText) => cipher.encrypt(plainText))),
});

const set = defineCommand({
  meta: {
    name: 'set',
    description:
      'Encrypts one value and writes it into [secrets]. The value is asked for, or read from standard input.\n\n' +
      'Example: millrace secret set db_password --home ./home\n',
  },
  args: {
    alias: { type: 'positional', required: true, description: 'Name of the secret' },
    ...cipherOptions,
  },
  async run({ args }) {
    const plainText = await (hiddenPrompt?.(`Value of ${args.alias}: `) ?? (await readInput()));
    if (plainText === '') {
      fail('the value is empty');
      return;
    }
    await edit(args, (text, { file, cipher }) =>
      setSecret(text, file, { alias: args.alias, cipherText: cipher.encrypt(plainText) }),
    );
  },
});

const list = defineCommand({
  meta: {
    name: 'list',
    description:
      'Lists the aliases of [secrets]; values are never shown.\n\nExample: millrace secret list --home ./home\n',
  },
  args: { ...configOptions, json: { type: 'boolean', description: 'Print JSON' } },
  run({ args }) {
    const file = namedFile(args);
    if (file === undefined) return;
    guarded(() => {
      const entries = listSecrets(readFileSync(file, 'utf8'), file);
      if (args.json) console.log(JSON.stringify(entries, undefined, 2));
      else for (const { alias, state, line } of entries) console.log(`${alias}  ${state}  ${file}:${line}`);
      if (entries.some(({ state }) => state === 'plain')) process.exitCode = 1;
    });
  },
});

/** `millrace secret`: the encrypted values of the configuration. */
export const secretCommand = defineCommand({
  meta: {
    name: 'secret',
    description:
      'Encrypts, sets and lists the values of [secrets].\n\nExample: millrace secret encrypt --home ./home\n',
  },
  subCommands: { encrypt, set, list },
});

type Edit = (text: string, tools: { readonly file: string; readonly cipher: SecretCipher }) => SecretsEdit;

/** Changes the configuration file through a temporary one, so that it is never half written. */
async function edit(args: CipherArguments, change: Edit): Promise<void> {
  const file = namedFile(args);
  if (file === undefined) return;
  try {
    const text = readFileSync(file, 'utf8');
    const edited = change(text, { file, cipher: await openCipher(args, file) });
    if (edited.text !== text) replaceFile(file, edited.text);
    console.log(edited.changed.length === 0 ? 'nothing to encrypt' : `encrypted: ${edited.changed.join(', ')}`);
  } catch (error) {
    report(error);
  }
}

async function openCipher(args: CipherArguments, file: string): Promise<SecretCipher> {
  const options = {
    home: args.home,
    file,
    catalog: args.dashboard === true ? 'dashboard' : 'server',
    env: process.env,
    systemProperties: {
      'carbon.home': args.home,
      ...(args.transformation !== undefined && { 'org.wso2.CipherTransformation': args.transformation }),
    },
    prompt: hiddenPrompt,
  } as const;
  // Secrets that are still plain are errors of the configuration, but not here.
  return openSecretCipher(loadConfig(options).config, options);
}

function replaceFile(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: statSync(file).mode });
  renameSync(temporary, file);
}

/** All of standard input, without a line end at its end. */
async function readInput(): Promise<string> {
  return (await readStandardInput()).replace(/\r?\n$/, '');
}

function guarded(action: () => void): void {
  try {
    action();
  } catch (error) {
    report(error);
  }
}

/** What is wrong with the file, key store or password ends the command; anything else is a fault of the program. */
function report(error: unknown): void {
  if (!(error instanceof MillraceError)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
