import { basename } from 'node:path';
import { type AuditedChange, defineOperation, pick, type Operation, type OperationInput } from '#rest';
import { listOf, queryText, refusal, smallMessage } from '../conventions.ts';
import { openRegistryFiles } from '../registry-files.ts';
import type { ManagedRuntime } from '../runtime.ts';

type Query = OperationInput<
  unknown,
  Readonly<Record<string, string | readonly string[] | undefined>>,
  unknown
>['query'];

type RegistryCall = { readonly query: Partial<Query> };

/** `/registry-resources` (management 1.7): files, media types and properties of the registry. */
export function registryOperations({ home, deployer, registryHandlers, node }: ManagedRuntime): readonly Operation[] {
  const files = openRegistryFiles(home, registryHandlers);
  const base = '/registry-resources';
  const pathOf = (query: Query): string => {
    const path = queryText(query, 'path');
    if (path === undefined) throw refusal(400, 'The parameter "path" is missing');
    return path;
  };
  /** What artifacts read of the registry is read anew in a new world. */
  const changed = async (text: string): Promise<Response> => {
    await deployer.rebuild();
    await node.spread({ name: 'rebuild', subject: '', state: undefined });
    return smallMessage(text);
  };
  const responses = { 200: { description: 'What is there, or what was changed' } };
  const content = (action: string, { query }: RegistryCall): AuditedChange => ({
    action,
    type: 'registry_resource',
    info: pick(query, 'path', 'mediaType'),
  });
  return [
    defineOperation({
      id: 'getRegistry',
      method: 'GET',
      path: base,
      summary: 'What a folder holds; everything below it with expand or searchKey',
      responses,
      scope: 'read',
      handle({ query }) {
        const path = pathOf(query);
        const searchKey = queryText(query, 'searchKey');
        if (queryText(query, 'expand') === 'true' || searchKey !== undefined)
          return { list: files.tree(path, searchKey) };
        return listOf(files.list(path));
      },
    }),
    defineOperation({
      id: 'getRegistryContent',
      method: 'GET',
      path: `${base}/content`,
      summary: 'The content of a resource',
      responses: { 200: { description: 'Its bytes', type: 'application/octet-stream' } },
      scope: 'read',
      handle({ query }) {
        const { bytes, mediaType } = files.read(pathOf(query));
        return new Response(new Uint8Array(bytes), {
          headers: {
            'Content-Type': mediaType,
            'Content-Length': String(bytes.length),
            'X-Content-Type-Options': 'nosniff',
            'Content-Security-Policy': 'sandbox',
          },
        });
      },
    }),
    defineOperation({
      id: 'createRegistryContent',
      method: 'POST',
      path: `${base}/content`,
      summary: 'Adds a resource',
      bodyForm: 'bytes',
      responses,
      scope: 'admin',
      audited: (call) => content('created', call),
      async handle({ query, request, body }) {
        const path = pathOf(query);
        const content = await contentOf(request, body);
        files.create(path, content, queryText(query, 'mediaType') ?? 'text/plain');
        return changed(`The resource ${path} is added`);
      },
    }),
    defineOperation({
      id: 'changeRegistryContent',
      method: 'PUT',
      path: `${base}/content`,
      summary: 'Replaces the content of a resource',
      bodyForm: 'bytes',
      responses,
      scope: 'admin',
      audited: (call) => content('updated', call),
      async handle({ query, request, body }) {
        const path = pathOf(query);
        files.replace(path, await contentOf(request, body));
        return changed(`The resource ${path} is changed`);
      },
    }),
    defineOperation({
      id: 'deleteRegistryContent',
      method: 'DELETE',
      path: `${base}/content`,
      summary: 'Removes a resource, or a folder with everything in it',
      responses,
      scope: 'admin',
      audited: (call) => content('deleted', call),
      handle({ query }) {
        const path = pathOf(query);
        files.remove(path);
        return changed(`The resource ${path} is removed`);
      },
    }),
    defineOperation({
      id: 'getRegistryMetadata',
      method: 'GET',
      path: `${base}/metadata`,
      summary: 'Name and media type of a resource',
      responses,
      scope: 'read',
      handle({ query }) {
        const path = pathOf(query);
        return { name: basename(path), mediaType: files.mediaType(path) };
      },
    }),
    defineOperation({
      id: 'getRegistryProperties',
      method: 'GET',
      path: `${base}/properties`,
      summary: 'Properties of a resource, or the one that name names',
      responses,
      scope: 'read',
      handle({ query }) {
        const all = files.properties(pathOf(query));
        const name = queryText(query, 'name');
        if (name === undefined) return listOf(all);
        const found = all.find((property) => property.name === name);
        if (!found) throw refusal(404, `There is no property "${name}"`);
        return { [name]: found.value };
      },
    }),
    defineOperation({
      id: 'changeRegistryProperties',
      method: 'POST',
      path: `${base}/properties`,
      summary: 'Sets properties of a resource; others stay',
      body: (z) => z.array(z.object({ name: z.string(), value: z.string() })),
      responses,
      scope: 'admin',
      audited: ({ query, body }) => ({
        action: 'updated',
        type: 'registry_resource_properties',
        info: { ...pick(query, 'path'), names: body?.map(({ name }) => name) ?? [] },
      }),
      handle({ query, body }) {
        const path = pathOf(query);
        files.setProperties(path, body);
        return changed(`The properties of ${path} are set`);
      },
    }),
    defineOperation({
      id: 'deleteRegistryProperties',
      method: 'DELETE',
      path: `${base}/properties`,
      summary: 'Removes the property that name names',
      responses,
      scope: 'admin',
      audited: ({ query }) => ({
        action: 'deleted',
        type: 'registry_resource_properties',
        info: pick(query, 'path', 'name'),
      }),
      handle({ query }) {
        const path = pathOf(query);
        const name = queryText(query, 'name');
        if (name === undefined) throw refusal(400, 'The parameter "name" is missing');
        files.removeProperty(path, name);
        return changed(`The property ${name} of ${path} is removed`);
      },
    }),
  ];
}

/** Raw content, or the part `file` of a form. */
async function contentOf(request: Request, body: unknown): Promise<Uint8Array> {
  const bytes = body instanceof Uint8Array ? body : new Uint8Array();
  const type = request.headers.get('Content-Type') ?? '';
  if (!type.startsWith('multipart/form-data')) return bytes;
  const form = await new Response(new Uint8Array(bytes), { headers: { 'Content-Type': type } })
    .formData()
    .catch((cause: unknown) => Promise.reject(refusal(400, `The multipart body is malformed: ${String(cause)}`)));
  const part = form.get('file');
  if (part === null) throw refusal(400, 'The form has no part "file"');
  return typeof part === 'string' ? Buffer.from(part) : new Uint8Array(await part.arrayBuffer());
}
