import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Application } from '#artifacts';
import { newRowId, resolveInside } from '#core';
import { formatProblem, type Problem } from '#errors';
import { defineOperation, pick, type Operation } from '#rest';
import { bareRefusal, message, queryText, refusal, searched } from '../conventions.ts';
import type { ManagedRuntime } from '../runtime.ts';

/** `/applications` (management 1.7): archives that are deployed, uploaded and removed. */
export function applicationOperations(runtime: ManagedRuntime): readonly Operation[] {
  return [list(runtime), upload(runtime), remove(runtime), fault(runtime)];
}

function list(runtime: ManagedRuntime): Operation {
  return defineOperation({
    id: 'getApplications',
    method: 'GET',
    path: '/applications',
    summary: 'Applications that run and those that could not be deployed, one of them, or its archive',
    responses: { 200: { description: 'Lists, details or bytes' } },
    scope: 'read',
    handle({ query, request }) {
      const name = queryText(query, 'carbonAppName');
      const { applications } = runtime.deployer;
      if (name !== undefined && request.headers.get('Accept')?.includes('application/octet-stream') === true) {
        return archiveOf(runtime, name);
      }
      const named = applications.map((application) => ({ ...nameOf(application), application }));
      if (name !== undefined) {
        const found = named.find((each) => each.name === name && problemsOf(runtime, each.application).length === 0);
        if (!found) throw bareRefusal(404, `There is no application "${name}"`);
        return itemOf(runtime, found.application);
      }
      const shown = searched(named, query).map(({ application }) => application);
      const faulty = shown.filter((application) => problemsOf(runtime, application).length > 0);
      const active = shown.filter((application) => !faulty.includes(application));
      return {
        totalCount: shown.length,
        activeCount: active.length,
        activeList: active.map((application) => itemOf(runtime, application)),
        faultyCount: faulty.length,
        faultyList: faulty.map((application) => itemOf(runtime, application)),
      };
    },
  });
}

function upload(runtime: ManagedRuntime): Operation {
  return defineOperation({
    id: 'uploadApplication',
    method: 'POST',
    path: '/applications',
    summary: 'Deploys an archive; what is wrong with it changes nothing',
    bodyForm: 'multipart',
    responses: { 200: { description: 'It is deployed' }, 400: { description: 'What is wrong with it' } },
    scope: 'write',
    audited: ({ body }) => ({ action: 'created', type: 'carbon_application', info: { file: filesOf(body)[0]?.name } }),
    async handle({ body }) {
      const files = filesOf(body);
      const [file] = files;
      if (!file || files.length > 1)
        throw refusal(400, `Expected one file in multipart/form-data; found ${files.length}`);
      if (!file.name.endsWith('.car')) throw refusal(400, `Expected a file that ends with .car; found "${file.name}"`);
      const name = fileName(file.name);
      await place(runtime, name, Buffer.from(await file.arrayBuffer()));
      return message(`The application ${name} is deployed`);
    },
  });
}

function filesOf(body: unknown): readonly File[] {
  return body instanceof FormData ? [...body.values()].filter((value): value is File => typeof value !== 'string') : [];
}

/** Puts an archive in its place and deploys; when that fails, what was there before is there again. */
async function place({ home, deployer }: ManagedRuntime, name: string, content: Buffer): Promise<void> {
  mkdirSync(home.carbonapps, { recursive: true });
  mkdirSync(home.data, { recursive: true });
  const target = resolveInside(home.carbonapps, name);
  // Written elsewhere first: the folder of applications is watched.
  const uploaded = join(home.data, `upload-${newRowId()}.part`);
  const before = `${uploaded}.before`;
  try {
    writeFileSync(uploaded, content, { mode: 0o600 });
    const hadOne = existsSync(target);
    if (hadOne) writeFileSync(before, readFileSync(target));
    renameSync(uploaded, target);
    const { problems } = await deployer.deploy();
    const errors = problems.filter((problem) => problem.severity === 'error' && isAbout(problem, target));
    if (errors.length === 0) return;
    if (hadOne) renameSync(before, target);
    else rmSync(target);
    await deployer.deploy();
    throw refusal(400, `The application was not deployed: ${errors.map(formatProblem).join('; ')}`);
  } finally {
    for (const file of [uploaded, before]) rmSync(file, { force: true });
  }
}

function remove(runtime: ManagedRuntime): Operation {
  return defineOperation({
    id: 'deleteApplication',
    method: 'DELETE',
    path: '/applications/{name}',
    summary: 'Removes the archive of that file name, given without .car, or of the one application of that name',
    responses: { 200: { description: 'It is removed' }, 404: { description: 'There is none' } },
    scope: 'write',
    audited: ({ path }) => ({ action: 'deleted', type: 'carbon_application', info: pick(path, 'name') }),
    async handle({ path }) {
      const name = path['name'] ?? '';
      const byFile = resolveInside(runtime.home.carbonapps, `${fileName(name)}.car`);
      // Lists name applications by their descriptors, which need not be the name of the file.
      const named = runtime.deployer.applications.filter((application) => nameOf(application).name === name);
      const file = existsSync(byFile) || named.length !== 1 ? byFile : (named[0]?.file ?? byFile);
      if (!existsSync(file)) throw refusal(404, `There is no application file ${name}.car`);
      rmSync(file);
      await runtime.deployer.deploy();
      return message(`The application ${name} is removed`);
    },
  });
}

function fault(runtime: ManagedRuntime): Operation {
  return defineOperation({
    id: 'getApplicationFault',
    method: 'GET',
    path: '/applications/{name}/fault',
    summary: 'Why an application could not be deployed',
    responses: { 200: { description: 'The reasons under faultStackTrace' } },
    scope: 'read',
    handle({ path }) {
      const name = path['name'] ?? '';
      const found = runtime.deployer.applications.find((application) => nameOf(application).name === name);
      const problems = found ? problemsOf(runtime, found) : [];
      if (problems.length === 0) throw refusal(404, `There is no application "${name}" that could not be deployed`);
      return { faultStackTrace: problems.map(formatProblem).join('\n') };
    },
  });
}

function archiveOf(runtime: ManagedRuntime, name: string): Response {
  const file = resolveInside(runtime.home.carbonapps, fileName(name.endsWith('.car') ? name : `${name}.car`));
  if (!existsSync(file)) throw bareRefusal(404, `There is no application file ${name}`);
  const bytes = readFileSync(file);
  return new Response(bytes, {
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': String(bytes.length) },
  });
}

/** A name without folders. @throws MillraceError 400 */
function fileName(name: string): string {
  if (name !== '' && !name.startsWith('.') && name === basename(name) && !name.includes('\\')) return name;
  throw refusal(400, `"${name}" is no file name`);
}

/** `artifacts.xml` says name and version; an archive without one is called by its file. */
export function nameOf({ id, file }: Application): { name: string; version: string } {
  const line = id.lastIndexOf('_');
  if (id === file || line < 0) return { name: basename(file, '.car'), version: '' };
  return { name: id.slice(0, line), version: id.slice(line + 1) };
}

function isAbout({ position }: Problem, file: string): boolean {
  const at = position?.file ?? '';
  return at === file || at.startsWith(`${file}!/`);
}

/** What is wrong with an application. */
export function problemsOf({ deployer }: ManagedRuntime, { file }: Application): readonly Problem[] {
  return deployer.problems.filter((problem) => problem.severity === 'error' && isAbout(problem, file));
}

/** Types of artifacts as archives call them, where that is not the name of the element. */
const archiveTypes: Readonly<Record<string, string>> = {
  localEntry: 'local-entry',
  messageStore: 'message-store',
  messageProcessor: 'message-processors',
  proxy: 'proxy-service',
  inboundEndpoint: 'inbound-endpoint',
  data: 'dataservice',
};

/** Name, version and contents of an application. */
export function itemOf({ deployer }: ManagedRuntime, application: Application): Readonly<Record<string, unknown>> {
  const artifacts = [...deployer.current.artifacts.values()]
    .filter(({ file }) => file.startsWith(`${application.file}!/`))
    .map(({ artifact }) => ({ name: artifact.name, type: archiveTypes[artifact.kind] ?? artifact.kind }));
  return { ...nameOf(application), artifacts };
}
