import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { createSelfSigned } from '#keystore';

/** A mail that arrived, with what its session was like. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly text: string;
  readonly user: string | undefined;
  readonly isSecure: boolean;
  header(name: string): string | undefined;
}

export interface MailServer extends AsyncDisposable {
  readonly port: number;
  /** The certificate that it shows (PEM). */
  readonly certificate: string;
  readonly mails: readonly ReceivedMail[];
  /** Answers a recipient with this failure, for as long as it is set, or so many times. */
  refuse: { readonly status: number; readonly text: string; readonly times?: number } | undefined;
}

/** Starts a real mail server that offers STARTTLS and AUTH; `user` with `password` may sign in, or a bearer of `token`. */
export async function startMailServer(
  options: {
    readonly secure?: boolean;
    readonly user?: string;
    readonly password?: string;
    readonly token?: string;
    readonly optional?: boolean;
  } = {},
): Promise<MailServer> {
  const pair = await createSelfSigned({ hostNames: ['localhost', '127.0.0.1'], days: 1 });
  const mails: ReceivedMail[] = [];
  const state: { refuse: MailServer['refuse'] } = { refuse: undefined };
  const server = new SMTPServer({
    secure: options.secure ?? false,
    key: pair.privateKeyPem,
    cert: pair.certificatePem,
    authOptional: options.optional ?? options.user === undefined,
    allowInsecureAuth: true,
    authMethods: ['PLAIN', 'LOGIN', 'XOAUTH2'],
    onAuth(auth, _session, done) {
      const isRight =
        auth.method === 'XOAUTH2'
          ? auth.accessToken === options.token
          : auth.username === options.user && auth.password === options.password;
      if (isRight) done(null, { user: auth.username });
      else done(new Error('wrong credentials'));
    },
    onRcptTo(_address, _session, done) {
      const { refuse } = state;
      if (!refuse) return done();
      if (refuse.times !== undefined) {
        state.refuse = refuse.times > 1 ? { ...refuse, times: refuse.times - 1 } : undefined;
      }
      done(Object.assign(new Error(refuse.text), { responseCode: refuse.status }));
    },
    onData(stream, session, done) {
      const receive = async (): Promise<void> => {
        const text = (await buffer(stream)).toString('utf8');
        const head = text.slice(0, text.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ');
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text,
          user: session.user,
          isSecure: session.secure,
          header: (name) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1],
        });
        done();
      };
      receive().catch((error: Error) => stream.destroy(error));
    },
  });
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return {
    port: (listening.address() as AddressInfo).port,
    certificate: pair.certificatePem,
    mails,
    get refuse() {
      return state.refuse;
    },
    set refuse(value) {
      state.refuse = value;
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
