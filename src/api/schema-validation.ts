import { messageOf, synapseCodes } from '#errors';
import { textOf } from '#expression';
import { Fault, type CompileContext } from '#mediation';
import type { Message } from '#message';
import type { OpenApiSchema } from './openapi-schema.ts';

/** The checks of an API with `validateSchema` (runtime-core 2.11); a violation is thrown as a fault. */
export interface SchemaValidation {
  readonly request: (message: Message) => Promise<void>;
  readonly response: (message: Message) => Promise<void>;
}

/** Set once a response was compared with the definition. */
const validated = 'OPENAPI_VALIDATED';

/** Makes the checks against the definition under a key; it is read with the first message, and again when it changes. */
export function createSchemaValidation(key: string, { library, services }: CompileContext): SchemaValidation {
  const { maxBodyBytes } = services.settings;
  let known: { readonly text: string; readonly schema: OpenApiSchema } | undefined;

  const schemaNow = async (): Promise<OpenApiSchema> => {
    const text = library.resource(key);
    if (text === undefined) throw fault(`The definition ${key} cannot be read`, '');
    if (known?.text === text) return known.schema;
    const [{ createOpenApiSchema }, document] = await Promise.all([import('./openapi-schema.ts'), parse(key, text)]);
    const schema = createOpenApiSchema(document);
    known = { text, schema };
    return schema;
  };

  return {
    async request(message) {
      const schema = await schemaNow();
      if (!message.payload.loaded) await message.payload.load(maxBodyBytes);
      message.properties.set('RESOURCE_SCOPE_MAP', schema.scopes);
      const findings = schema.request({
        ...placeOf(message),
        ...contentOf(message),
        header: (name) => message.header(name),
      });
      if (findings.length > 0) throw fault('Schema validation failed in the Request: ', findings.join('\n'));
    },
    async response(message) {
      if (message.properties.get(validated) !== undefined) return;
      message.properties.set(validated, true);
      const schema = await schemaNow();
      if (!message.payload.loaded) await message.payload.load(maxBodyBytes);
      const status = Number(textOf(message.axis2.get('HTTP_SC'))) || 200;
      const findings = schema.response({ ...placeOf(message), ...contentOf(message), status });
      if (findings.length > 0) throw fault('Schema validation failed for the Response: ', findings.join('\n'));
    },
  };
}

function fault(message: string, detail: string): Fault {
  return new Fault({ code: synapseCodes.mediation, message, ...(detail === '' ? {} : { detail }) });
}

async function parse(key: string, text: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const { parse: parseYaml } = await import('yaml');
    const document: unknown = parseYaml(text);
    if (typeof document === 'object' && document !== null && 'openapi' in document) {
      return document;
    }
  } catch (error) {
    throw fault(`The definition ${key} is not readable: ${messageOf(error)}`, '');
  }
  throw fault(`The definition ${key} is no OpenAPI 3 document`, '');
}

function placeOf({ properties }: Message): { method: string; path: string; query: string } {
  const target = textOf(properties.get('REST_SUB_REQUEST_PATH'));
  const question = target.indexOf('?');
  return {
    method: textOf(properties.get('REST_METHOD')),
    path: question < 0 ? target : target.slice(0, question),
    query: question < 0 ? '' : target.slice(question + 1),
  };
}

function contentOf(message: Message): {
  contentType: string | undefined;
  hasBody: boolean;
  json(): ReturnType<Message['json']>;
} {
  const wanted = message.axis2.get('messageType');
  return {
    contentType:
      typeof wanted === 'string' ? wanted : (message.header('Content-Type') ?? message.payload.receivedContentType),
    hasBody: !message.payload.empty,
    json: () => (message.payload.empty ? undefined : message.json()),
  };
}
