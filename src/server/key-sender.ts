import { apimHttpClient, type Config } from '#config';
import { createHttpSender, type HttpSender } from '#transport';
import { limitExchanges } from './limit-exchanges.ts';
import { readProxies } from './proxies.ts';
import { applyTls, type ServerTls } from './tls.ts';
import { readSenderOptions } from './transport-settings.ts';

/** The sender for key sets, key managers and notices to clients, with limits of its own (`[apim.http_client]`). */
export function openKeySender(config: Config, tls: Pick<ServerTls, 'sender' | 'onChange'>): HttpSender {
  const pooled = createHttpSender({
    ...readSenderOptions(config),
    tls: tls.sender(),
    proxy: readProxies(config),
    connectionsPerOrigin: config.get(apimHttpClient.defaultMaxPerRoute),
    connectTimeout: Math.max(0, config.milliseconds(apimHttpClient.connectionTimeout)),
  });
  tls.onChange(() => void applyTls(() => pooled.setTls(tls.sender())));
  return limitExchanges(pooled, config.get(apimHttpClient.maxTotal));
}
