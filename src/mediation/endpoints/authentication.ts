import type { Message } from '#message';
import { cloneNode, type SourceNode, type XmlElement } from '#xml';
import type { CompileContext } from '../context.ts';
import { readBasicAuthentication } from './basic-authentication.ts';
import { readOAuth } from './oauth.ts';

/** Credentials that a message was given. */
export interface Grant {
  /** Forgets them, since the back end refused them with 401. */
  forget(): void;
}

/** How an endpoint shows the back end who calls (runtime-core 5.3). */
export interface Authentication {
  /** True when credentials that were refused can be had anew; 401 is then no fault of a blocking call. */
  readonly renews: boolean;
  /** True when the message is kept, so that it can be sent once more with new credentials. */
  readonly resends: boolean;
  /** True when the credentials are computed from the payload. */
  readonly contentAware: boolean;
  /**
   * Puts the credentials on the message.
   *
   * @throws EndpointFault 303003 when there are none to be had
   */
  authorize(message: Message, url: string): Grant | undefined | Promise<Grant | undefined>;
}

/** `<authentication>` as the artifact says it. */
export interface AuthenticationDefinition {
  serialize(): XmlElement;
  compile(context: CompileContext): Authentication;
}

const kinds = [
  { element: 'basicAuth', read: readBasicAuthentication },
  { element: 'oauth', read: readOAuth },
] as const;

/** Reads `<authentication>`: exactly one of `<basicAuth>` and `<oauth>`. */
export function readAuthentication(node: SourceNode): AuthenticationDefinition | undefined {
  const children = node.children().filter(({ local }) => local !== 'description');
  const [first, second] = children;
  const kind = kinds.find(({ element }) => element === first?.local);
  if (!first || !kind) {
    const found = first ? `<${first.local}>` : 'nothing';
    (first ?? node).error(`<authentication> needs <basicAuth> or <oauth>, found ${found}`, {
      code: 'MR_ENDPOINT_AUTHENTICATION_UNSUPPORTED',
    });
    return undefined;
  }
  second?.error(`<authentication> holds one way to authenticate, found <${second.local}> besides <${first.local}>`);
  const compile = kind.read(first);
  return compile && { serialize: () => cloneNode(node.element), compile };
}
