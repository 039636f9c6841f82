import assert from 'node:assert/strict';
import { relative } from 'node:path';
import process from 'node:process';
import { test, type TestContext } from 'node:test';
import { runCommand } from 'citty';
import type { Problem } from '#errors';
import { checkCommand } from '../../src/cli/commands/check.ts';
import { temporaryFolder } from '../helpers/temporary-files.ts';

/** Runs `millrace check --json` over a project of these files, and gives what it printed and its exit code. */
async function check(
  t: TestContext,
  files: Readonly<Record<string, string>>,
): Promise<{ code: number; found: readonly string[]; problems: readonly Problem[] }> {
  const root = temporaryFolder(t, files);
  const printed: string[] = [];
  t.mock.method(console, 'log', (line: string) => printed.push(line));
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await runCommand(checkCommand, { rawArgs: [root, '--json'] });
    const { problems } = JSON.parse(printed.join('\n')) as { problems: Problem[] };
    const found = problems.map(({ severity, code, position }) => {
      const place = position ? `${relative(root, position.file)}:${position.line}:${position.column}` : 'nowhere';
      return `${place} ${severity} ${code}`;
    });
    return { code: process.exitCode, found, problems };
  } finally {
    process.exitCode = before;
  }
}

const namespace = 'xmlns="http://ws.apache.org/ns/synapse"';

test('check reports everything that is wrong in a project at once, each at its place', async (t) => {
  const { code, found } = await check(t, {
    'conf/deployment.toml': `[server]
hostname = "localhost"
offset = "ten"
hostnam = "x"

[transport.http]
socket_timeout = -1
`,
    'artifacts/api/Orders.xml': `<api ${namespace} name="Orders" context="orders">
  <resource methods="GET FETCH" uri-template="/{id">
    <inSequence>
      <logg/>
      <property name="a" expression="//x["/>
      <sequence key="nobody"/>
    </inSequence>
  </resource>
</api>
`,
    'artifacts/sequences/Broken.xml': `<sequence ${namespace} name="Broken">
  <log level="full">
</sequence>
`,
    'artifacts/sequences/Refers.xml': `<sequence ${namespace} name="Refers">
  <sequence key="Missing"/>
  <call><endpoint key="NoEndpoint"/></call>
  <payloadFactory><format key="gov:/none.xml"/><args/></payloadFactory>
  <log levl="full"/>
</sequence>
`,
    'artifacts/endpoints/Balanced.xml': `<endpoint ${namespace} name="Balanced">
  <loadbalance/>
</endpoint>
`,
    'artifacts/proxy-services/Old.xml': `<proxy ${namespace} name="Old"/>
`,
  });
  assert.equal(code, 1);
  assert.deepEqual(found, [
    'conf/deployment.toml:3:10 error MR_CONFIG_VALUE',
    'conf/deployment.toml:4:1 warning MR_CONFIG_UNKNOWN_KEY',
    'conf/deployment.toml:7:18 error MR_CONFIG_VALUE',
    'artifacts/api/Orders.xml:1:60 error MR_ARTIFACT_INVALID',
    'artifacts/api/Orders.xml:2:13 error MR_ARTIFACT_INVALID',
    'artifacts/api/Orders.xml:2:33 error MR_URI_TEMPLATE',
    'artifacts/api/Orders.xml:4:7 error MR_MEDIATOR_UNKNOWN',
    'artifacts/api/Orders.xml:5:26 error MR_EXPRESSION_SYNTAX',
    'artifacts/endpoints/Balanced.xml:2:3 error MR_ENDPOINT_EMPTY_GROUP',
    'artifacts/proxy-services/Old.xml:1:1 error MR_ARTIFACT_CHILD',
    'artifacts/sequences/Broken.xml:3:1 error MR_XML_MALFORMED',
    'artifacts/sequences/Refers.xml:5:8 warning MR_ARTIFACT_UNKNOWN_ATTRIBUTE',
    'artifacts/api/Orders.xml:6:17 warning MR_REFERENCE_MISSING',
    'artifacts/sequences/Refers.xml:2:13 warning MR_REFERENCE_MISSING',
    'artifacts/sequences/Refers.xml:3:19 warning MR_REFERENCE_MISSING',
    'artifacts/sequences/Refers.xml:4:27 warning MR_REFERENCE_MISSING',
  ]);
});

test('check finds nothing wrong in a sound project', async (t) => {
  const { code, found } = await check(t, {
    'src/main/wso2mi/artifacts/apis/Fine.xml': `<api ${namespace} name="Fine" context="/fine">
  <resource methods="GET"><inSequence><respond/></inSequence></resource>
</api>
`,
    'deployment/deployment.toml': '[server]\nhostname = "localhost"\n',
  });
  assert.deepEqual(found, []);
  assert.equal(code, 0);
});

test('check reads the file of claims', async (t) => {
  const files = {
    'conf/deployment.toml': '',
    'conf/claim-config.xml': '<ClaimManager>\n  <Dialects><Dialect/></Dialects>\n</ClaimManager>',
  };
  const { code, found } = await check(t, files);
  assert.deepEqual(found, ['conf/claim-config.xml:2:13 error MR_CLAIM_CONFIG']);
  assert.equal(code, 1);
});
