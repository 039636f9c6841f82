import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { coreOf } from './machine.ts';
import type { Proxy } from './peers.ts';
import { firstAnswer, pinned, start } from './process.ts';

export type SubjectKind = 'build' | 'source';

const root = dirname(import.meta.dirname);

/** The command of Millrace, without its arguments: a release made into `folder`, or the sources. */
export function subjectCommand(kind: SubjectKind, folder: string): readonly string[] {
  if (kind === 'source') return [process.execPath, join(root, 'src/cli/main.ts')];
  const out = join(folder, 'release');
  execFileSync(process.execPath, [join(root, 'tools/build.ts'), '--no-archive', '--out', out], { stdio: 'ignore' });
  const release = join(out, readdirSync(out)[0] ?? '');
  mkdirSync(join(release, 'node_modules'), { recursive: true });
  // Whoever wants stylesheets installs these beside a release.
  for (const name of ['saxon-js', 'xslt3']) {
    const installed = join(root, 'node_modules', name);
    if (existsSync(installed)) symlinkSync(installed, join(release, 'node_modules', name));
  }
  return [join(release, 'bin/millrace')];
}

/** Starts Millrace with an API that passes each of the benchmark's requests to the back end. */
export async function startMillrace(
  command: readonly string[],
  folder: string,
  ports: { readonly offset: number; readonly backEnd: number },
): Promise<Proxy> {
  const project = writeProject(join(folder, 'project'), [proxyApi(ports.backEnd)]);
  const args = ['run', project, '--offset', String(ports.offset), '--log-level', 'error'];
  const running = start(pinned(coreOf('measured'), [...command, ...args]), {
    NODE_COMPILE_CACHE: join(folder, 'cache'),
  });
  const url = `http://127.0.0.1:${8280 + ports.offset}/bench`;
  await firstAnswer(running, `${url}/small`, performance.now());
  return { ...running, name: 'Millrace', url, secureUrl: `https://127.0.0.1:${8243 + ports.offset}/bench` };
}

/** Writes a project of APIs, services and local entries in the layout that `millrace run` takes; gives back its folder. */
export function writeProject(folder: string, apis: readonly string[], localEntries: readonly string[] = []): string {
  writeArtifacts(join(folder, 'src/main/wso2mi/artifacts/apis'), apis);
  writeArtifacts(join(folder, 'src/main/wso2mi/artifacts/local-entries'), localEntries);
  return folder;
}

function writeArtifacts(target: string, texts: readonly string[]): void {
  mkdirSync(target, { recursive: true });
  for (const [index, text] of texts.entries()) writeFileSync(join(target, `artifact-${index}.xml`), text);
}

/** The API of the proxy scenarios. */
export function proxyApi(backEnd: number): string {
  const resource = (method: string, path: string): string => `
  <resource methods="${method}" uri-template="/${path}">
    <inSequence>
      <call>
        <endpoint><http method="${method.toLowerCase()}" uri-template="http://127.0.0.1:${backEnd}/${path}"/></endpoint>
      </call>
      <respond/>
    </inSequence>
  </resource>`;
  const resources = [resource('GET', 'small'), resource('GET', 'large'), resource('POST', 'accept')];
  return `<api xmlns="http://ws.apache.org/ns/synapse" name="Bench" context="/bench">${resources.join('')}\n</api>\n`;
}

/** `count` APIs as projects have them: a condition, a log, a payload, an answer. */
export function generatedApis(count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `<api xmlns="http://ws.apache.org/ns/synapse" name="Api${index}" context="/api${index}">
  <resource methods="GET" uri-template="/items/{id}">
    <inSequence>
      <log level="custom" category="DEBUG"><property name="id" expression="get-property('uri.var.id')"/></log>
      <filter source="get-property('uri.var.id')" regex="[0-9]+">
        <then>
          <payloadFactory media-type="json">
            <format>{ "api": ${index}, "id": $1 }</format>
            <args><arg expression="get-property('uri.var.id')"/></args>
          </payloadFactory>
        </then>
        <else>
          <property name="HTTP_SC" scope="axis2" type="INTEGER" value="404"/>
        </else>
      </filter>
      <respond/>
    </inSequence>
  </resource>
  <resource methods="POST" url-mapping="/items">
    <inSequence>
      <property name="name" expression="json-eval($.name)"/>
      <call><endpoint><http method="post" uri-template="http://127.0.0.1:9/items"/></endpoint></call>
      <respond/>
    </inSequence>
  </resource>
</api>
`,
  );
}
