import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test, type TestContext } from 'node:test';
import { formatProblem } from '#errors';
import { childElements, getAttribute, parseXml } from '#xml';
import { findSuites, readSuite } from '#unit-test';
import { temporaryFolder, zip, type Files } from '../helpers/temporary-files.ts';

const root = join(import.meta.dirname, '../..');
const project = join(root, 'test/fixtures/unit-tests');
const corpus = join(root, '../shared/corpus');

/** Runs `millrace test` in a folder; the exit code and everything that it wrote. */
function millraceTest(folder: string, ...args: string[]): { code: number | null; output: string } {
  const main = join(root, 'src/cli/main.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'test', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { code: status, output: `${stdout}${stderr}` };
}

/** A project with one sequence and one suite for it. */
function projectWith(t: TestContext, files: Files): string {
  const sequence =
    '<sequence xmlns="http://ws.apache.org/ns/synapse" name="S"><property name="a" value="b"/></sequence>';
  return temporaryFolder(t, { 'src/main/S.xml': sequence, ...files });
}

function suiteOf(assertions: string, artifact = '/src/main/S.xml'): string {
  return `<unit-test>
  <artifacts><test-artifact><artifact>${artifact}</artifact></test-artifact></artifacts>
  <test-cases><test-case name="one">
    <assertions>${assertions}</assertions>
  </test-case></test-cases>
</unit-test>`;
}

test('suites of every kind of artifact pass, with mock services, resources and time that passes at once', () => {
  const { code, output } = millraceTest(project, '.');
  assert.equal(code, 0, output);
  assert.match(output, /^6 cases, 6 passed, 0 failed$/m);
  assert.match(output, /api:Orders: 6 of 8 mediators ran \(75 %\)/);
  assert.match(output, /src\/main\/wso2mi\/artifacts\/apis\/Orders\.xml:25:7: <sequence> never ran/);
});

test('what fails is shown with its place, and the exit code says so', (t) => {
  const failing = `<assertEquals><actual>$ctx:a</actual><expected>c</expected><message>a is c</message></assertEquals>
    <assertNotNull><actual>$axis2:nothing</actual><message>there is none</message></assertNotNull>`;
  const folder = projectWith(t, { 'src/test/Suite.xml': suiteOf(failing) });
  const { code, output } = millraceTest(folder, 'src/test/Suite.xml', '--junit', 'results.xml');
  assert.equal(code, 1);
  assert.match(output, /src\/test\/Suite\.xml:4:17: assertEquals \$ctx:a: a is c\n {6}expected: c\n {6}actual: {3}b/);
  assert.match(output, /src\/test\/Suite\.xml:5:5: assertNotNull \$axis2:nothing/);
  const [suite] = childElements(parseXml(readFileSync(join(folder, 'results.xml'), 'utf8')).root);
  assert.ok(suite);
  assert.equal(getAttribute(suite, 'tests'), '1');
  assert.equal(getAttribute(suite, 'failures'), '1');
  const testCase = childElements(suite).find(({ local }) => local === 'testcase');
  assert.deepEqual(testCase && childElements(testCase).map(({ local }) => local), ['failure', 'failure']);
});

test('a sequence that fails, and an assertion about what it never has, fail the case', (t) => {
  const broken = `<sequence xmlns="http://ws.apache.org/ns/synapse" name="B"><sequence key="Absent"/></sequence>`;
  const folder = projectWith(t, {
    'Broken.xml': suiteOf('<assertNotNull><actual>$body</actual></assertNotNull>', broken),
    'Status.xml': suiteOf('<assertNotNull><actual>$statusCode</actual></assertNotNull>'),
  });
  const { code, output } = millraceTest(folder, '.');
  assert.equal(code, 1);
  assert.match(output, /Broken\.xml:3:15: Sequence named Absent cannot be found/);
  assert.match(output, /Status\.xml:3:15: \$statusCode is no value of a sequence/);
});

test('malformed suites name the file, the line and the column', () => {
  const problemsOf = (text: string): string =>
    readSuite(text, join(project, 'Suite.xml'))
      .problems.map((problem) => formatProblem(problem))
      .join('\n')
      .replaceAll(`${project}/`, '');
  assert.match(problemsOf('<unit-test><artifacts>'), /Suite\.xml:1:23: error: /);
  assert.match(problemsOf('<unit-test/>'), /Suite\.xml:1:1: error: <unit-test> needs <artifacts>/);
  const strange = suiteOf('<assertTrue/><assertNotNull><actual>$foo</actual></assertNotNull>', 'none.xml');
  assert.match(problemsOf(strange), /Suite\.xml:2:29: error: there is no file "none\.xml"/);
  assert.match(problemsOf(strange), /Suite\.xml:4:17: error: an assertion must be assertEquals or assertNotNull/);
  assert.match(problemsOf(strange), /Suite\.xml:4:45: error: <actual> must be .*found "\$foo"/);
  const expression = suiteOf('<assertNotNull><actual>${payload..}</actual></assertNotNull>');
  assert.match(problemsOf(expression), /Suite\.xml:4:32: error: .*\[MR_EXPRESSION_SYNTAX\]/);
});

test('a suite whose artifacts cannot be deployed does not run', (t) => {
  const unknown = `<sequence xmlns="http://ws.apache.org/ns/synapse" name="U"><nonsense/></sequence>`;
  const folder = projectWith(t, {
    'Suite.xml': suiteOf('<assertNotNull><actual>$body</actual></assertNotNull>', unknown),
  });
  const { code, output } = millraceTest(folder, 'Suite.xml');
  assert.equal(code, 1);
  assert.match(output, /Suite\.xml:2:\d+: error: Unknown mediator .*<nonsense>/);
  assert.match(output, /0 cases, 0 passed, 0 failed, 1 suites did not run/);
});

const connectorParts: Files = {
  'connector.xml':
    '<connector><component name="hello" package="org.example"><dependency component="greetings"/></component></connector>',
  'greetings/component.xml':
    '<component name="greetings" type="synapse/template"><subComponents><component name="say"><file>say.xml</file></component></subComponents></component>',
  'greetings/say.xml':
    '<template xmlns="http://ws.apache.org/ns/synapse" name="say"><parameter name="whom"/><sequence><property name="said" expression="concat(\'hello \', $func:whom)"/></sequence></template>',
};

test('connectors of a suite are found by path and by version, or stand in it', async (t) => {
  const archive = await zip(connectorParts);
  const calling = `<sequence xmlns="http://ws.apache.org/ns/synapse" name="C"><hello.say><whom>you</whom></hello.say></sequence>`;
  const suite = (connector: string): string =>
    suiteOf('<assertEquals><actual>$ctx:said</actual><expected>hello you</expected></assertEquals>', calling).replace(
      '</artifacts>',
      `<connector-resources><connector-resource>${connector}</connector-resource></connector-resources></artifacts>`,
    );
  const place = 'src/main/wso2mi/resources/connectors';
  const folder = projectWith(t, {
    [`${place}/mi-connector-hello-1.0.2.zip`]: archive,
    'src/test/Path.xml': suite(`${place}/mi-connector-hello-1.0.2.zip`),
    'src/test/Version.xml': suite('mi-connector-hello-1.0.2'),
    'src/test/Content.xml': suite(Buffer.from(archive).toString('base64')),
  });
  const { code, output } = millraceTest(folder, '.');
  assert.equal(code, 0, output);
  assert.match(output, /^3 cases, 3 passed, 0 failed$/m);
  const absent = readSuite(suite('mi-connector-none-1.0.0'), join(folder, 'src/test/Absent.xml'));
  assert.equal(absent.suite, undefined);
  assert.match(absent.problems[0]?.message ?? '', /^there is no connector "mi-connector-none-1\.0\.0" in the folders/);
  const unset = readSuite(suite(''), join(folder, 'src/test/Unset.xml'));
  assert.match(unset.problems[0]?.message ?? '', /needs the path of a connector's archive/);
});

test('a path without suites is wrong use', (t) => {
  const folder = projectWith(t, {});
  assert.equal(millraceTest(folder, '.').code, 2);
  assert.equal(millraceTest(folder, 'absent').code, 2);
});

const published = existsSync(corpus) ? findSuites(corpus) : [];

test(
  'published suites can be read',
  { skip: published.length > 0 ? false : 'there are no published suites beside the repository' },
  () => {
    for (const file of published) {
      const { problems } = readSuite(readFileSync(file, 'utf8'), file);
      assert.deepEqual(problems, [], file);
    }
  },
);
