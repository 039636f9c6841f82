import { readBody } from '#message';
import type { HttpSender, IncomingResponse, OutgoingRequest } from '#transport';
import type { MediationServices } from '../context.ts';
import { splitUrl } from './url.ts';

/**
 * One exchange with a server that is not a back end of messages.
 *
 * @throws TransportError, or Error when there is no answer within the time that back ends have
 */
export function exchangeOnce(
  sender: HttpSender,
  request: OutgoingRequest,
  { clock, settings }: MediationServices,
): Promise<IncomingResponse> {
  return new Promise((resolve, reject) => {
    let isDone = false;
    let cancel = (): void => {};
    const finish = (): void => {
      isDone = true;
      cancel();
    };
    const sent = sender.send(request, {
      onResponse(response) {
        finish();
        resolve(response);
      },
      onError(error) {
        finish();
        reject(error);
      },
    });
    if (isDone) return;
    cancel = clock.after(settings.globalTimeout, () => {
      reject(new Error(`no answer within ${settings.globalTimeout} ms`));
      sent.abort();
    });
  });
}

/**
 * Fetches a document over HTTP.
 *
 * @throws Error that says why there is none
 */
export async function fetchText(url: string, services: MediationServices): Promise<string> {
  const { origin, target } = splitUrl(url);
  const request = { origin, target, method: 'GET', headers: ['Accept', 'text/xml, application/xml, */*'], body: null };
  const { status, body } = await exchangeOnce(services.sender, request, services);
  if (status !== 200) {
    body?.cancel();
    throw new Error(`${url} answered with status ${status}`);
  }
  return body === null ? '' : Buffer.from(await readBody(body, services.settings.maxBodyBytes)).toString('utf8');
}
