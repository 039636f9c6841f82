import { getLogger } from '#core';
import { mediaTypeOfVersion, soapVersionOfClient } from '#mediation';
import type { Message } from '#message';
import type { HttpSender } from '#transport';
import { serializeXml, soapVersionOf } from '#xml';

const log = getLogger('proxy');

/**
 * True for an address below one of the allowed URLs: the same scheme, host and port, and a path that begins with the
 * whole segments of the allowed one.
 */
export function isAllowedReply(address: string, allowed: readonly string[]): boolean {
  const wanted = URL.canParse(address) ? new URL(address) : undefined;
  if (!wanted || wanted.username !== '' || wanted.password !== '') return false;
  return allowed.some((text) => {
    const base = URL.canParse(text) ? new URL(text) : undefined;
    if (!base || base.origin !== wanted.origin || base.origin === 'null') return false;
    const folder = base.pathname.endsWith('/') ? base.pathname : `${base.pathname}/`;
    return wanted.pathname === base.pathname || wanted.pathname.startsWith(folder);
  });
}

/** Posts an answer in SOAP to an address that was allowed; a failure is logged, since nobody waits for it. */
export function postReply(message: Message, address: string, sender: HttpSender): void {
  const version = soapVersionOfClient(message) ?? 'soap11';
  if (soapVersionOf(message.payload.editEnvelope()) !== version) message.payload.convertEnvelope(version);
  const { origin, pathname, search } = new URL(address);
  const headers = ['Content-Type', `${mediaTypeOfVersion(version)}; charset=UTF-8`];
  if (version === 'soap11') headers.push('SOAPAction', '""');
  const body = Buffer.from(serializeXml(message.envelope()));
  const failed = (detail: unknown): void =>
    log.warn({ message: message.id, address, detail }, 'an answer could not be sent to its ReplyTo');
  sender.send(
    { origin, method: 'POST', target: `${pathname}${search}`, headers, body },
    {
      onResponse({ status, body: content }) {
        content?.cancel();
        if (status >= 300) failed(`status ${status}`);
      },
      onError: (error) => failed(error.message),
    },
  );
}
