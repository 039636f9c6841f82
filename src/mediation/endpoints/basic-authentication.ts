import { setHeader } from '#message';
import type { SourceNode } from '#xml';
import type { CompileContext } from '../context.ts';
import type { Authentication } from './authentication.ts';
import { readCredential } from './credential.ts';

/** Reads `<basicAuth>` of an http endpoint (runtime-core 5.3). */
export function readBasicAuthentication(node: SourceNode): ((context: CompileContext) => Authentication) | undefined {
  node.knowOnlyChildren(['username', 'password']);
  const username = readCredential(node, 'username', true);
  const password = readCredential(node, 'password', true);
  if (!username || !password) return undefined;
  return (context) => {
    const nameOf = username.compile(context);
    const passwordOf = password.compile(context);
    return {
      renews: false,
      resends: false,
      contentAware: username.contentAware || password.contentAware,
      authorize(message) {
        setHeader(message.headers, 'Authorization', basicCredentials(nameOf(message), passwordOf(message)));
        return undefined;
      },
    };
  };
}

/** The value of an Authorization header with a name and a password (RFC 7617). */
export function basicCredentials(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}
