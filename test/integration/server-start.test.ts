import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { test, type TestContext } from 'node:test';
import { createSelfSigned, encryptSecret, writePkcs12 } from '#keystore';
import { ask, ports, showing, type Files } from '../effects/effect-server.ts';
import { startProgram, waitForOutput, type Program } from '../helpers/program.ts';
import { removeFolder } from '../helpers/temporary-files.ts';

const launcher = join(import.meta.dirname, '../../bin/millrace');
const patience = 60_000;

/** What runs over each home. */
const running = new Map<string, Program[]>();

/** A home with these files that is removed at the end, when what runs over it has ended. */
function homeWith(t: TestContext, files: Files): string {
  const home = mkdtempSync(join(tmpdir(), 'millrace-start-'));
  t.after(async () => {
    await Promise.all((running.get(home) ?? []).map((program) => program.stop()));
    removeFolder(home);
  });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content);
  }
  return home;
}

function start(home: string, ...options: string[]): Program {
  const program = startProgram(process.execPath, [launcher, 'start', '--home', home, ...options], {
    env: { PATH: process.env['PATH'], HOME: home },
  });
  running.set(home, [...(running.get(home) ?? []), program]);
  return program;
}

/** The address of a listener as the log names it. */
function addressOf(output: string, name: string): string {
  const line = output.split('\n').find((candidate) => candidate.includes(`${name} is open`)) ?? '{}';
  return String((JSON.parse(line) as { url?: string }).url);
}

test('a configuration with errors prints each of them with its place and ends with 1', async (t) => {
  const home = homeWith(t, {
    'conf/deployment.toml':
      '[server]\noffset = "many"\nserver_role = "king"\n[mediation]\ninternal_http_api_port = 70000\n',
  });
  const program = start(home);
  const output = await waitForOutput(program, /internal_http_api_port/, patience);
  for (const place of [/deployment\.toml:2:/, /deployment\.toml:3:/, /deployment\.toml:5:/])
    assert.match(output, place);
  assert.equal(await program.ended(), 1);
});

test('a home with secrets reads the password of its key store from a file that it deletes', async (t) => {
  const { privateKeyPem, certificatePem } = await createSelfSigned({ hostNames: ['localhost'], days: 1 });
  const store = writePkcs12([{ alias: 'own', privateKeyPem, certificatePems: [certificatePem] }], 'store-pass');
  const home = homeWith(t, {
    'conf/security/own.p12': store,
    'password-tmp': 'store-pass\n',
    ...showing("wso2:vault-lookup('for_flows')"),
    'conf/deployment.toml': `${ports}
[super_admin]
username = "root"
password = "$secret{root_password}"
[keystore.internal]
file_name = "own.p12"
alias = "own"
[secrets]
root_password = "${encryptSecret('open sesame', certificatePem)}"
for_flows = "${encryptSecret('in flows', certificatePem)}"
`,
  });
  const program = start(home);
  const output = await waitForOutput(program, /"started"/, patience);
  const credentials = Buffer.from('root:open sesame').toString('base64');
  const answer = await ask(`${addressOf(output, 'Management')}/management/login`, {
    headers: { Authorization: `Basic ${credentials}` },
  });
  assert.equal(typeof answer === 'string' ? answer : answer.status, 200);
  const shown = await ask(`${addressOf(output, 'API HTTP')}/t`);
  assert.equal(typeof shown === 'string' ? shown : shown.body, 'in flows');
  assert.equal(existsSync(join(home, 'password-tmp')), false);
  assert.equal(await program.stop(), 0);
});

test('a home with secrets and no way to open its key store does not start and says what to do', async (t) => {
  const { privateKeyPem, certificatePem } = await createSelfSigned({ hostNames: ['localhost'], days: 1 });
  const home = homeWith(t, {
    'conf/security/own.p12': writePkcs12([{ alias: 'own', privateKeyPem, certificatePems: [certificatePem] }], 'pass'),
    'conf/deployment.toml': `[super_admin]
password = "$secret{admin}"
[keystore.internal]
file_name = "own.p12"
[secrets]
admin = "${encryptSecret('x', certificatePem)}"
`,
  });
  const program = start(home);
  await waitForOutput(program, /MILLRACE_KEYSTORE_PASSWORD/, patience);
  assert.equal(await program.ended(), 1);
});

test('properties of the command line win over those of the file, in the configuration and in flows', async (t) => {
  const home = homeWith(t, {
    ...showing("get-property('system', 'team')"),
    'conf/deployment.toml': `${ports}\n[server]\nhostname = "$sys{host}"\n[system.parameter]\nteam = "blue"\n`,
  });
  const program = start(home, '-Dteam=green', '--define', 'host=named.example');
  const address = addressOf(await waitForOutput(program, /"started"/, patience), 'API HTTP');
  const answer = await ask(`${address}/t`);
  assert.equal(typeof answer === 'string' ? answer : answer.body, 'green');
  const definition = await ask(`${address}/t?swagger.json`);
  assert.match(typeof definition === 'string' ? definition : definition.body, /http:\/\/named\.example:/);
});
