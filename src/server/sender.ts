import { passthruHttp, passthruHttpTransport, transportPassthruHttps, type Config } from '#config';
import { getLogger } from '#core';
import { getHeader, mediaTypeOf } from '#message';
import { createHttpSender, type HttpSender, type PooledHttpSender } from '#transport';
import { limitResponses } from './message-size.ts';
import { readProxies } from './proxies.ts';
import { refuseSchemes } from './refuse-schemes.ts';
import type { ServerTls } from './tls.ts';
import { readSenderOptions } from './transport-settings.ts';

const log = getLogger('transport.sender');

/** The sender of all flows: with the pools and the key material of the configuration, and what else it asks for. */
export function openSender(config: Config, tls: ServerTls): { sender: HttpSender; pooled: PooledHttpSender } {
  const pooled = createHttpSender({ ...readSenderOptions(config), tls: tls.sender(), proxy: readProxies(config) });
  let sender: HttpSender = pooled;
  const closed = [
    ...(config.get(passthruHttpTransport.senderEnable) ? [] : ['http:']),
    ...(config.get(transportPassthruHttps.senderEnable) ? [] : ['https:']),
  ];
  if (closed.length > 0) sender = refuseSchemes(sender, closed);
  if (config.get(passthruHttp.messageSizeValidationEnabled)) {
    sender = limitResponses(sender, config.get(passthruHttp.validMaxMessageSizeInBytes));
  }
  const warned = {
    'http:': config.get(passthruHttpTransport.senderWarnOnHttp500) ?? [],
    'https:': config.get(transportPassthruHttps.senderWarnOnHTTP500) ?? [],
  };
  if (warned['http:'].length + warned['https:'].length > 0) sender = warnOfFailures(sender, warned);
  return { sender, pooled };
}

/** Logs answers with status 500 whose media type is listed for the scheme; `*` stands for every type. */
function warnOfFailures(
  sender: HttpSender,
  types: Readonly<Record<'http:' | 'https:', readonly string[]>>,
): HttpSender {
  return {
    send(request, handler) {
      const listed = types[request.origin.startsWith('https:') ? 'https:' : 'http:'];
      return sender.send(request, {
        onResponse(response) {
          const type = mediaTypeOf(getHeader(response.headers, 'Content-Type') ?? '');
          if (response.status === 500 && (listed.includes('*') || listed.includes(type))) {
            log.warn({ origin: request.origin, target: request.target, type }, 'a back end answered with status 500');
          }
          handler.onResponse(response);
        },
        onError: (error) => handler.onError(error),
      });
    },
    [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
  };
}
