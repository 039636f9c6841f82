import { type AuditedChange, defineOperation, jsonResponse, pick, type Operation, wordIn } from '#rest';
import { factsOf, type ArtifactFacts } from './artifact-facts.ts';
import {
  anyObject,
  bareRefusal,
  listOf,
  message,
  optionalText,
  queryText,
  refusal,
  requiredText,
  searched,
  smallMessage,
} from './conventions.ts';
import { artifactsOf, findArtifact, type ManagedRuntime } from './runtime.ts';

/** A resource of the API that shows the artifacts of one kind (management 1.5, 1.6). */
export interface ArtifactResource {
  /** Such as `/apis`. */
  readonly path: string;
  readonly kind: string;
  /** What one such artifact is called in texts. */
  readonly title: string;
  /** The query parameter that names one artifact. */
  readonly parameter: string;
  /** Names that lists leave out. */
  readonly hidden?: readonly string[];
  item(facts: ArtifactFacts, runtime: ManagedRuntime): unknown;
  detail(facts: ArtifactFacts, runtime: ManagedRuntime): unknown;
  /** What is answered for a name that does not exist: 404 alone, or with a text. */
  readonly missing: 'bare' | 'text';
  /** How the audit names the artifact; absent where neither trace nor statistics can be changed. */
  readonly observedAs?: string;
  readonly status?: StatusChange;
}

/** A resource whose artifacts can be switched on and off. */
export interface StatusChange {
  /** How the audit names the artifact. */
  readonly audit: string;
  /** The status of the answer when there is no such artifact. */
  readonly unknown: number;
  /** Further words besides `active` and `inactive`. */
  readonly actions?: Readonly<Record<string, (facts: ArtifactFacts, runtime: ManagedRuntime) => Promise<string>>>;
  set(facts: ArtifactFacts, isActive: boolean, runtime: ManagedRuntime): Promise<void> | void;
}

/** The operations of a resource. */
export function artifactOperations(resource: ArtifactResource, runtime: ManagedRuntime): readonly Operation[] {
  const read = readOperation(resource, runtime);
  return resource.observedAs === undefined && !resource.status ? [read] : [read, changeOperation(resource, runtime)];
}

function readOperation(resource: ArtifactResource, runtime: ManagedRuntime): Operation {
  const { path, kind, parameter, title } = resource;
  return defineOperation({
    id: `get${path.replaceAll(/[/-]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    method: 'GET',
    path,
    summary: `Each ${title}, or the one that ${parameter} names`,
    parameters: {
      query: (z) => z.looseObject({ [parameter]: z.string().optional(), searchKey: z.string().optional() }) as never,
    },
    responses: { 200: { description: 'The list under count and list, or the details of one' } },
    scope: 'read',
    async handle({ query }) {
      const name = queryText(query, parameter);
      if (name !== undefined) return resource.detail(existing(resource, name, runtime), runtime);
      const all = searched(artifactsOf(runtime, kind), query).filter((each) => !resource.hidden?.includes(each.name));
      return listOf(await Promise.all(all.map((deployed) => resource.item(factsOf(runtime, deployed), runtime))));
    },
  });
}

function existing(resource: ArtifactResource, name: string, runtime: ManagedRuntime): ArtifactFacts {
  const deployed = findArtifact(runtime, resource.kind, name);
  if (deployed) return factsOf(runtime, deployed);
  const text = `There is no ${resource.title} "${name}"`;
  throw resource.missing === 'bare' ? bareRefusal(404, text) : refusal(404, text);
}

function changeOperation(resource: ArtifactResource, runtime: ManagedRuntime): Operation {
  const { path, title, status } = resource;
  return defineOperation({
    id: `change${path.replaceAll(/[/-]+(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    method: 'POST',
    path,
    summary: `Changes the status, trace or statistics of one ${title}`,
    body: anyObject,
    responses: { 200: { description: 'What was changed' } },
    scope: 'write',
    audited: ({ body }) => auditedChange(resource, body),
    async handle({ body }) {
      const aspect = body['trace'] === undefined ? 'statistics' : 'trace';
      if (resource.observedAs !== undefined && (body['trace'] !== undefined || body['statistics'] !== undefined)) {
        return observe(resource, { body, aspect, runtime });
      }
      if (!status) throw refusal(400, 'The body must have "trace" or "statistics", each enable or disable');
      return change(resource, { body, status, runtime });
    },
  });
}

/** The toggles of the original, each by its own type: `api_trace`, `endpoint` and so on (management 1.2). */
function auditedChange({ parameter, observedAs, status }: ArtifactResource, body: Body | undefined): AuditedChange {
  const info = { [parameter]: pick(body, 'name')['name'] };
  const aspect = ['trace', 'statistics'].find((each) => body?.[each] !== undefined);
  if (observedAs !== undefined && aspect !== undefined) {
    return { type: `${observedAs}_${aspect}`, action: switched[wordIn(body, aspect)] ?? 'updated', info };
  }
  const word = wordIn(body, 'status');
  return {
    type: status?.audit ?? observedAs ?? parameter,
    action: switched[word] ?? 'updated',
    info: { ...info, ...pick(body, 'status') },
  };
}

/** What the audit calls the words of changes. */
const switched: Readonly<Record<string, string>> = {
  enable: 'enabled',
  disable: 'disabled',
  active: 'enabled',
  inactive: 'disabled',
  trigger: 'triggered',
};

type Body = Readonly<Record<string, unknown>>;

/** Only one is applied when both are there, as in the original (management 1.4). */
async function observe(
  { kind, title }: ArtifactResource,
  { body, aspect, runtime }: { body: Body; aspect: 'trace' | 'statistics'; runtime: ManagedRuntime },
): Promise<Response> {
  const name = requiredText(body, 'name');
  const value = (optionalText(body, aspect) ?? '').toLowerCase();
  const deployed = findArtifact(runtime, kind, name);
  if (!deployed) throw refusal(400, `There is no ${title} "${name}"`);
  if (value !== 'enable' && value !== 'disable') {
    throw refusal(400, `"${aspect}" must be enable or disable; found "${value}"`);
  }
  runtime.observer.set(deployed.artifact.key, aspect, value === 'enable');
  await runtime.deployer.rebuild();
  const subject = `${aspect} ${deployed.artifact.key}`;
  await runtime.node.spread({ name: 'observe', subject, state: value === 'enable' });
  const what = aspect === 'trace' ? 'Tracing' : 'Statistics';
  return smallMessage(`${what} ${value}d for ${title} ${name}`);
}

async function change(
  { kind, title }: ArtifactResource,
  { body, status, runtime }: { body: Body; status: StatusChange; runtime: ManagedRuntime },
): Promise<Response> {
  const name = requiredText(body, 'name');
  const wanted = requiredText(body, 'status').toLowerCase();
  const deployed = findArtifact(runtime, kind, name);
  if (!deployed) throw refusal(status.unknown, `There is no ${title} "${name}"`);
  const facts = factsOf(runtime, deployed);
  const act = status.actions && Object.hasOwn(status.actions, wanted) ? status.actions[wanted] : undefined;
  if (act) return message(await act(facts, runtime));
  if (wanted !== 'active' && wanted !== 'inactive') {
    const words = ['active', 'inactive', ...Object.keys(status.actions ?? {})].join(', ');
    throw refusal(400, `"status" must be one of ${words}; found "${wanted}"`);
  }
  await status.set(facts, wanted === 'active', runtime);
  await runtime.node.spread({ name: 'status', subject: `${kind} ${name}`, state: wanted === 'active' });
  return jsonResponse({ Message: `${capital(title)} ${name} is ${wanted === 'active' ? 'activated' : 'deactivated'}` });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
