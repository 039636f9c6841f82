import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { assembleSources, findPlaces, readSources } from '#artifacts';
import { startInProcess, type InProcessRuntime } from '../helpers/in-process.ts';
import { car, temporaryFolder, zip, type Files } from '../helpers/temporary-files.ts';

const namespace = 'xmlns="http://ws.apache.org/ns/synapse"';
const importHello = `<import ${namespace} name="hello" package="org.example" status="enabled"/>`;

function template(name: string, parameters: readonly string[], steps: string): string {
  const declared = parameters.map((parameter) => `<parameter name="${parameter}"/>`).join('');
  return `<template ${namespace} name="${name}">${declared}<sequence>${steps}</sequence></template>`;
}

const component = `<component name="greetings" type="synapse/template"><subComponents>
  ${['init', 'say', 'xml', 'reply', 'broken', 'java']
    .map((name) => `<component name="${name}"><file>${name}.xml</file><description/></component>`)
    .join('')}
</subComponents></component>`;

/** The connector `hello`: what its operations do can be seen in properties and bodies. */
const parts: Files = {
  'connector.xml':
    '<connector><component name="hello" package="org.example"><dependency component="greetings"/></component></connector>',
  'greetings/component.xml': component,
  'greetings/init.xml': template(
    'init',
    ['name', 'greeting'],
    '<property name="greeting" expression="$func:greeting"/><property name="connection" expression="$func:name"/>',
  ),
  'greetings/say.xml': template(
    'say',
    ['whom', 'INIT_CONFIG_KEY'],
    `<property name="said" expression="concat(get-property('greeting'), ' ', $func:whom, ' by ', $func:INIT_CONFIG_KEY)"/>`,
  ),
  'greetings/xml.xml': template('xml', ['part'], '<property name="said" expression="$func:part" type="OM"/>'),
  'greetings/reply.xml': template(
    'reply',
    [],
    '<payloadFactory media-type="json"><format>{"reply": 1}</format></payloadFactory>',
  ),
  'greetings/broken.xml': template('broken', [], '<throwError type="CUSTOM" errorMessage="no"/>'),
  'greetings/java.xml': template('java', [], '<log/>'),
};

const connection = `<localEntry ${namespace} key="friendly"><hello.init><greeting>{get-property('query.param.with')}</greeting></hello.init></localEntry>`;

function api(steps: string): string {
  return `<api ${namespace} name="a" context="/a"><resource methods="GET POST"><inSequence>${steps}<respond/></inSequence></resource></api>`;
}

const show = (expression: string): string =>
  `<payloadFactory media-type="text"><format>$1</format><args><arg expression="${expression}"/></args></payloadFactory>`;

async function deploy(t: TestContext, files: Files): Promise<InProcessRuntime> {
  const sources = assembleSources(await readSources(findPlaces(temporaryFolder(t, files))));
  return startInProcess({ sources, scripts: [], cors: { enabled: true, allowOrigins: [], allowHeaders: '' } });
}

async function ask(runtime: InProcessRuntime, request = 'GET /a?with=Hi HTTP/1.1\n'): Promise<string> {
  const answer = await runtime.exchange(request, 'http');
  return answer.slice(answer.indexOf('\n\n') + 2);
}

function errorsOf(runtime: InProcessRuntime): string[] {
  return runtime.problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
}

test('an operation runs with its parameters, after the init of its connection', async (t) => {
  const runtime = await deploy(t, {
    'artifacts/hello.zip': await zip(parts),
    'artifacts/imports/hello.xml': importHello,
    'artifacts/local-entries/friendly.xml': connection,
    'artifacts/apis/a.xml': api(
      `<hello.say configKey="friendly"><whom>{concat('A', 'da')}</whom></hello.say>${show("concat(get-property('said'), ' ', get-property('connection'))")}`,
    ),
  });
  assert.deepEqual(errorsOf(runtime), []);
  assert.equal(await ask(runtime), 'Hi Ada by friendly friendly');
});

test('XML in a parameter is handed over as it is', async (t) => {
  const runtime = await deploy(t, {
    'artifacts/hello.zip': await zip(parts),
    'artifacts/hello.xml': importHello,
    'artifacts/a.xml': api(
      `<hello.xml><part><order xmlns=""><id>7</id></order></part></hello.xml>${show('$ctx:said//id')}`,
    ),
  });
  assert.equal(await ask(runtime), '7');
});

test('a result goes into a variable, and the body stays or is overwritten', async (t) => {
  const body = 'POST /a HTTP/1.1\nContent-Type: application/json\n\n{"own": 1}';
  const run = async (reserved: string, steps = ''): Promise<string> => {
    const runtime = await deploy(t, {
      'artifacts/hello.zip': await zip(parts),
      'artifacts/hello.xml': importHello,
      'artifacts/a.xml': api(`<hello.reply>${reserved}</hello.reply>${steps}`),
    });
    assert.deepEqual(errorsOf(runtime), []);
    return ask(runtime, body);
  };
  const variable = '<responseVariable>r</responseVariable>';
  const both = '<payloadFactory media-type="json"><format>[${payload}, ${vars.r}]</format></payloadFactory>';
  assert.equal(await run(''), '{"reply": 1}');
  assert.equal(await run('<overwriteBody>false</overwriteBody>'), '{"reply": 1}');
  assert.match(await run(variable, both), /^\[\{"own": ?1\}, \{"payload":\{"reply":1\},/);
  assert.match(await run(`${variable}<overwriteBody>true</overwriteBody>`, both), /^\[\{"reply": ?1\}, \{"headers":/);
});

test('what is missing is an error of the artifact, with its place', async (t) => {
  const use = { 'artifacts/a.xml': api('<hello.say/>') };
  const none = await deploy(t, { ...use, 'artifacts/hello.zip': await zip(parts) });
  assert.deepEqual(errorsOf(none), [
    'Unknown mediator referenced by configuration element : <hello.say>; there is no enabled <import> of a connector "hello"',
  ]);
  assert.equal(
    none.problems.find(({ severity }) => severity === 'error')?.position?.column,
    api('').indexOf('<respond') + 1,
  );
  const off = importHello.replace('enabled', 'disabled');
  const disabled = await deploy(t, { ...use, 'artifacts/hello.zip': await zip(parts), 'artifacts/i.xml': off });
  assert.match(errorsOf(disabled)[0] ?? '', /no enabled <import>/);
  const wrong = await deploy(t, {
    'artifacts/hello.zip': await zip(parts),
    'artifacts/i.xml': importHello,
    'artifacts/a.xml': api('<hello.shout/>'),
  });
  assert.match(errorsOf(wrong)[0] ?? '', /the connector "hello" has no such operation/);
});

test('a connector of which a part is wrong is left out whole, when it is used', async (t) => {
  const broken = { ...parts, 'greetings/java.xml': template('java', [], '<class name="org.example.Signer"/>') };
  const unused = await deploy(t, { 'artifacts/hello.zip': await zip(broken) });
  assert.deepEqual(errorsOf(unused), []);
  const used = await deploy(t, { 'artifacts/hello.zip': await zip(broken), 'artifacts/i.xml': importHello });
  assert.match(errorsOf(used).join('\n'), /org\.example\.Signer/);
  const noZip = await deploy(t, { 'artifacts/hello.zip': 'no zip', 'artifacts/i.xml': importHello });
  assert.match(errorsOf(noZip).join('\n'), /is no archive/);
  const noFile = await deploy(t, {
    'artifacts/hello.zip': await zip({ ...parts, 'greetings/component.xml': component.replace('say.xml', 'none.xml') }),
    'artifacts/i.xml': importHello,
  });
  assert.match(errorsOf(noFile).join('\n'), /does not contain this file/);
});

test('an application brings its connectors, which need no import there', async (t) => {
  const application = car({
    name: 'hello',
    parts: [
      { name: 'a', type: 'synapse/api', files: { 'a-1.0.0.xml': api('<hello.reply/>') } },
      { name: 'hello-connector', type: 'synapse/lib', files: { 'hello-1.0.0.zip': await zip(parts) } },
    ],
  });
  const runtime = await deploy(t, { 'carbonapps/hello.car': await zip(application) });
  assert.deepEqual(errorsOf(runtime), []);
  assert.equal(await ask(runtime, 'POST /a HTTP/1.1\nContent-Type: application/json\n\n{}'), '{"reply": 1}');
});
