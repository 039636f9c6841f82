import { messageOf, synapseCodes } from '#errors';
import { setHeader, type Message } from '#message';
import { escapeText } from '#xml';
import type { CompileContext } from '../context.ts';
import { Fault } from '../fault.ts';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import { callAdminService, findElement, findText } from '../shared/admin-service.ts';
import { textOfValue } from '../shared/typed-value.ts';

interface Definition {
  readonly remoteServiceUrl: string;
  readonly username: string;
  readonly password: string;
}

/** `<oauthService>`: lets a request pass whose token a validation service knows (mediators 8). */
export const oauthService = defineMediator<Definition>({
  element: 'oauthService',
  attributes: ['remoteServiceUrl', 'username', 'password'],
  children: [],
  needsBody: () => false,
  parse: (node) => ({
    remoteServiceUrl: node.required('remoteServiceUrl'),
    username: node.required('username'),
    password: node.required('password'),
  }),
  serialize: (definition) => synapseElement('oauthService', { ...definition }),
  compile: (definition, context) => compileService(definition, context),
});

function compileService({ remoteServiceUrl, username, password }: Definition, context: CompileContext): Compiled {
  const service = {
    url: remoteServiceUrl,
    name: 'OAuth2TokenValidationService',
    user: username,
    password,
  };
  return async (message) => {
    const token = bearerOf(message);
    const request = requestOf(token, message);
    try {
      const answer = await callAdminService(service, { name: 'validate', request }, context.services);
      if (findText(answer, 'valid') !== 'true')
        throw new Error(findText(answer, 'errorMsg') ?? 'the token is not valid');
      const assertion = findElement(answer, 'authorizationContextToken');
      const text = assertion && findText(assertion, 'tokenString');
      if (text) setHeader(message.headers, 'X-JWT-Assertion', text);
    } catch (error) {
      throw refusal(messageOf(error), error);
    }
    return CONTINUE;
  };
}

function bearerOf(message: Message): string {
  const header = message.header('Authorization');
  const token = header === undefined ? undefined : /^Bearer\s+(\S+)\s*$/i.exec(header)?.[1];
  if (token !== undefined) return token;
  throw refusal(header === undefined ? 'there is no Authorization header' : 'only bearer tokens can be validated');
}

function refusal(detail: string, cause?: unknown): Fault {
  return new Fault({ code: synapseCodes.mediation, message: 'OAuth 2.0 authentication failed', detail, cause });
}

function requestOf(token: string, message: Message): string {
  const contexts = contextPairs(message)
    .map(
      ([key, value]) =>
        `<dto:context><dto:key>${escapeText(key)}</dto:key><dto:value>${escapeText(value)}</dto:value></dto:context>`,
    )
    .join('');
  return `<xsd:validate xmlns:xsd="http://org.apache.axis2/xsd" xmlns:dto="http://dto.oauth2.identity.carbon.wso2.org/xsd"><xsd:validationReqDTO><dto:accessToken><dto:identifier>${escapeText(token)}</dto:identifier><dto:tokenType>bearer</dto:tokenType></dto:accessToken>${contexts}</xsd:validationReqDTO></xsd:validate>`;
}

/** The properties `oauth_context_param_key_1` and so on, with their values, up to the first that is not set. */
function contextPairs({ properties }: Message): (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (let number = 1; properties.has(`oauth_context_param_key_${number}`); number++) {
    const key = textOfValue(properties.get(`oauth_context_param_key_${number}`));
    pairs.push([key, textOfValue(properties.get(`oauth_context_param_value_${number}`))]);
  }
  return pairs;
}
