import { messageOf } from '#errors';
import type { AdapterTools, Outcome } from './adapter.ts';
import { accessTokenFor, forgetToken } from './mail-token.ts';
import type { Mail } from './email.ts';
import type { MailSession } from './mail-session.ts';

interface Way {
  readonly session: MailSession;
  readonly tools: AdapterTools;
}

/** What a mail server said, as the library reports it. */
interface SmtpFailure extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  readonly command?: string;
}

/** Sends one mail over a connection of its own. */
export async function sendMail(mail: Mail, { session, tools }: Way): Promise<Outcome> {
  const { host, port, grant } = session;
  const manner = session.isSecure ? ' with TLS' : session.startsTls ? ' with STARTTLS' : '';
  tools.report?.(`connect to ${host}:${port}${manner}`);
  let auth: Readonly<Record<string, string>> | undefined;
  if (grant) {
    const token = await accessTokenFor(grant, tools);
    if ('failure' in token) return { kind: 'failed', detail: token.failure };
    auth = { type: 'OAuth2', user: grant.user, accessToken: token.value };
  } else if (session.credentials) {
    auth = { user: session.credentials.user, pass: session.credentials.password };
  }
  if (auth) tools.report?.(`sign in as ${auth['user']}`);
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host,
    port,
    secure: session.isSecure,
    requireTLS: session.startsTls,
    ignoreTLS: !session.startsTls,
    tls: session.tls,
    connectionTimeout: session.timeouts.connect ?? tools.patience,
    greetingTimeout: tools.patience,
    socketTimeout: session.timeouts.read ?? tools.patience,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(session.localHost !== undefined && { name: session.localHost }),
    ...(session.mechanism !== undefined && !grant && { authMethod: session.mechanism }),
    ...(auth && { auth }),
  });
  try {
    const { from, to, subject, replyTo, messageId, isHtml, body } = mail;
    const { response } = await transport.sendMail({
      messageId,
      from,
      to,
      subject,
      ...(replyTo !== undefined && { replyTo }),
      envelope: { from: session.from, to: [to] },
      ...(isHtml ? { html: body } : { text: body }),
    });
    return { kind: 'sent', detail: `accepted by ${host}:${port}`, answer: response };
  } catch (error) {
    if (grant && (error as SmtpFailure).code === 'EAUTH') forgetToken(grant);
    return outcomeOf(error as SmtpFailure, `${host}:${port}`);
  } finally {
    transport.close();
  }
}

/** A refusal of recipient, sender or text stays one; everything else may pass, a wrong password included. */
function outcomeOf(error: SmtpFailure, place: string): Outcome {
  const { responseCode, command, code } = error;
  const isFinal =
    responseCode !== undefined && responseCode >= 500 && /^(?:MAIL FROM|RCPT TO|DATA)$/.test(command ?? '');
  const said = responseCode === undefined ? messageOf(error) : `status ${responseCode}`;
  const detail = `${place}${command ? ` at ${command}` : ''}: ${said}${code ? ` (${code})` : ''}`;
  return { kind: isFinal ? 'refused' : 'failed', detail, answer: messageOf(error) };
}
