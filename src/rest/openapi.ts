import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { ZodObject } from 'zod';
import type { RestApiOptions } from './api.ts';
import type { BodyForm, Operation } from './operation.ts';
import { schemaOf } from './validate.ts';

const mediaTypes: Readonly<Record<BodyForm, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  text: 'text/plain',
  bytes: 'application/octet-stream',
};

/** The OpenAPI 3.1 document of an API. Loaded only when somebody asks for one. */
export function describeApi(options: RestApiOptions): Readonly<Record<string, unknown>> {
  const app = new OpenAPIHono();
  const needsLogin = options.operations.some((operation) => operation.scope !== undefined);
  if (needsLogin) {
    app.openAPIRegistry.registerComponent('securitySchemes', 'credentials', { type: 'http', scheme: 'bearer' });
  }
  for (const operation of options.operations) app.openAPIRegistry.registerPath(routeOf(operation, options.basePath));
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: options.title, version: options.version },
    ...(options.publicUrl === undefined ? {} : { servers: [{ url: options.publicUrl }] }),
  });
  return document as unknown as Readonly<Record<string, unknown>>;
}

function routeOf(operation: Operation, basePath: string): ReturnType<typeof createRoute> {
  const { parameters, body, bodyForm = 'json' } = operation;
  const path = parameters?.path ? schemaOf(parameters.path, z) : pathSchema(operation.path);
  return createRoute({
    operationId: operation.id,
    method: operation.method.toLowerCase() as 'get',
    path: basePath + operation.path.replaceAll('+}', '}'),
    summary: operation.summary,
    ...(operation.scope !== undefined && { security: [{ credentials: [operation.scope] }] }),
    request: {
      ...(path && { params: path as ZodObject }),
      ...(parameters?.query && { query: schemaOf(parameters.query, z) as ZodObject }),
      ...(body && { body: { required: true, content: { [mediaTypes[bodyForm]]: { schema: schemaOf(body, z) } } } }),
    },
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, { description, schema, type }]) => [
        status,
        {
          description,
          ...((schema || type) && {
            content: { [type ?? mediaTypes.json]: { schema: schema ? schemaOf(schema, z) : z.string() } },
          }),
        },
      ]),
    ),
  });
}

/** Path parameters that have no schema are strings. */
function pathSchema(path: string): ZodObject | undefined {
  const names = [...path.matchAll(/\{(\w+)\+?\}/g)].map((match) => match[1] ?? '');
  return names.length > 0 ? z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) : undefined;
}
