import { setHeader, type Message } from '#message';
import type { SourceNode } from '#xml';
import { valueSource } from '../reading.ts';

export interface BasicAuthentication {
  /** Puts the credentials on the message before each send. */
  authorize(message: Message): void;
}

/** Reads `<authentication><basicAuth>` of an http endpoint (runtime-core 5.3). */
export function readBasicAuthentication(node: SourceNode): BasicAuthentication | undefined {
  const basic = node.child('basicAuth');
  if (!basic) {
    const [other] = node.children();
    const found = other ? `<${other.local}>` : 'nothing';
    (other ?? node).error(`<authentication> supports <basicAuth> so far, found ${found}`, {
      code: 'MR_ENDPOINT_AUTHENTICATION_UNSUPPORTED',
    });
    return undefined;
  }
  const username = readCredential(basic, 'username');
  const password = readCredential(basic, 'password');
  if (!username || !password) return undefined;
  return {
    authorize(message) {
      const credentials = `${username.value.evaluate(message) ?? ''}:${password.value.evaluate(message) ?? ''}`;
      setHeader(message.headers, 'Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
    },
  };
}

function readCredential(basic: SourceNode, local: string): ReturnType<typeof valueSource> {
  const node = basic.child(local);
  if (!node || node.text() === '') {
    basic.error(`<basicAuth> needs a <${local}>`, { code: 'MR_ARTIFACT_CHILD' });
    return undefined;
  }
  return valueSource(node, node.text());
}
