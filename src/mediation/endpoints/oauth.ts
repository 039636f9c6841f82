import { setHeader, type Message } from '#message';
import type { SourceNode } from '#xml';
import type { CompileContext } from '../context.ts';
import type { Authentication } from './authentication.ts';
import { credentialOf, readCredential, type Credential } from './credential.ts';
import { readTokenConnection, tokenConnectionElements } from './oauth-connection.ts';
import { createTokenRequester, type TokenRequest } from './oauth-request.ts';
import { TokenCache } from './oauth-token-cache.ts';

/** The grants of `<oauth>`, by element: what the token server is asked for, and which values that takes. */
const grants = {
  clientCredentials: { type: 'client_credentials', required: ['clientId', 'clientSecret'], optional: [] },
  passwordCredentials: {
    type: 'password',
    required: ['username', 'password'],
    optional: ['clientId', 'clientSecret'],
  },
  authorizationCode: { type: 'refresh_token', required: ['clientId', 'clientSecret', 'refreshToken'], optional: [] },
} as const;

type ValueName = 'clientId' | 'clientSecret' | 'username' | 'password' | 'refreshToken' | 'tokenUrl';

interface NamedCredential {
  readonly name: string;
  readonly value: Credential;
}

/** Reads `<oauth>` of an http endpoint: one grant with its values (runtime-core 5.3). */
export function readOAuth(node: SourceNode): ((context: CompileContext) => Authentication) | undefined {
  node.knowOnlyChildren(Object.keys(grants));
  const found = node.children().filter(({ local }) => Object.hasOwn(grants, local));
  const [block, other] = found;
  if (!block) {
    node.error(`<oauth> needs one of ${Object.keys(grants).join(', ')}`, { code: 'MR_ARTIFACT_CHILD' });
    return undefined;
  }
  other?.error(`<oauth> holds one grant, found <${other.local}> besides <${block.local}>`);
  const { type, required, optional } = grants[block.local as keyof typeof grants];
  block.knowOnlyChildren([
    ...required,
    ...optional,
    'tokenUrl',
    'authMode',
    'requestParameters',
    'customHeaders',
    ...tokenConnectionElements,
  ]);
  const values = new Map<ValueName, Credential>();
  const read = (name: ValueName, isRequired: boolean): void => {
    const value = readCredential(block, name, isRequired);
    if (value) values.set(name, value);
  };
  for (const name of [...required, 'tokenUrl'] as const) read(name, true);
  for (const name of optional) read(name, false);
  const settings = {
    type,
    values,
    inPayload: readMode(block) === 'payload',
    parameters: readNamed(block, 'requestParameters', 'parameter'),
    headers: readNamed(block, 'customHeaders', 'header'),
    connection: readTokenConnection(block),
  };
  return (context) => compileOAuth(settings, context);
}

function readMode(block: SourceNode): 'header' | 'payload' {
  const node = block.child('authMode');
  const mode = node?.text().toLowerCase() ?? '';
  if (mode === 'payload' || mode === 'header' || mode === '') return mode === 'payload' ? 'payload' : 'header';
  node?.error(`<authMode> must be header or payload, found "${mode}"`);
  return 'header';
}

function readNamed(block: SourceNode, list: string, element: string): readonly NamedCredential[] {
  const node = block.child(list);
  node?.knowOnlyChildren([element]);
  return (node?.childrenNamed(element) ?? []).flatMap((child) => {
    const name = child.required('name');
    const value = credentialOf(child);
    return value ? [{ name, value }] : [];
  });
}

interface OAuthSettings {
  readonly type: string;
  readonly values: ReadonlyMap<ValueName, Credential>;
  readonly inPayload: boolean;
  readonly parameters: readonly NamedCredential[];
  readonly headers: readonly NamedCredential[];
  readonly connection: ReturnType<typeof readTokenConnection>;
}

function compileOAuth(oauth: OAuthSettings, context: CompileContext): Authentication {
  const { endpointStates, clock, settings } = context.services;
  const values = new Map([...oauth.values].map(([name, value]) => [name, value.compile(context)] as const));
  const named = (list: readonly NamedCredential[]): readonly (readonly [string, (message: Message) => string])[] =>
    list.map(({ name, value }) => [name, value.compile(context)] as const);
  const parameters = named(oauth.parameters);
  const headers = named(oauth.headers);
  const lifetime = settings.tokenLifetime ?? 3_000_000;
  const tokens = endpointStates.obtain(`${context.id}#tokens`, String(lifetime), () => new TokenCache(clock, lifetime));
  const request = createTokenRequester(oauth.connection, context);
  const all = [
    ...oauth.values.values(),
    ...oauth.parameters.map((each) => each.value),
    ...oauth.headers.map((each) => each.value),
  ];

  const requestFor = (message: Message): TokenRequest => {
    const value = (name: ValueName): string | undefined => values.get(name)?.(message);
    const pairs = [['grant_type', oauth.type]];
    for (const [name, key] of [
      ['username', 'username'],
      ['password', 'password'],
      ['refresh_token', 'refreshToken'],
    ] as const) {
      const text = value(key);
      if (text !== undefined) pairs.push([name, text]);
    }
    const client = { id: value('clientId'), secret: value('clientSecret') };
    if (oauth.inPayload && client.id !== undefined) {
      pairs.push(['client_id', client.id], ['client_secret', client.secret ?? '']);
    }
    for (const [name, compute] of parameters) pairs.push([name, compute(message)]);
    return {
      url: value('tokenUrl') ?? '',
      parameters: pairs.map(([name = '', text = '']) => [name, text] as const),
      client: oauth.inPayload || client.id === undefined ? undefined : { id: client.id, secret: client.secret ?? '' },
      headers: headers.map(([name, compute]) => [name, compute(message)] as const),
    };
  };

  return {
    renews: true,
    resends: settings.resendsUnauthorized ?? true,
    contentAware: all.some(({ contentAware }) => contentAware),
    async authorize(message, url) {
      const wanted = requestFor(message);
      const key = JSON.stringify([url, wanted]);
      const token = await tokens.obtain(key, (refreshToken) => request(wanted, refreshToken));
      setHeader(message.headers, 'Authorization', `Bearer ${token}`);
      return { forget: () => tokens.forget(key, token) };
    },
  };
}
