import { getAllHeaders } from '#message';
import type { HttpRequest } from '../contract.ts';

/** What a client asks for that would rather speak WebSocket (RFC 6455, 4.2.1). */
export interface WebSocketHandshake {
  readonly key: string;
  /** Subprotocols in the order of the client's preference. */
  readonly protocols: readonly string[];
}

/** Why a handshake is not taken. */
export interface HandshakeRefusal {
  readonly status: 400 | 405 | 426;
  readonly reason: string;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Subprotocols that say how frames are read are no tokens, such as `synapse(contentType='application/json')`. */
const described = /^synapse\([^\s(),"][^(),"]*\)$/;
/** Sixteen bytes in base64; the last character has but two bits of them. */
const nonce = /^[+/0-9A-Za-z]{21}[AQgw]==$/;

/** True when the request asks for a WebSocket. */
export function asksForWebSocket({ upgrade }: HttpRequest): boolean {
  return upgrade?.protocol.trim().toLowerCase() === 'websocket';
}

/** Reads the handshake of a request that asks for a WebSocket, or says why it is none. */
export function readHandshake({ method, headers }: HttpRequest): WebSocketHandshake | HandshakeRefusal {
  if (method !== 'GET') return { status: 405, reason: 'A WebSocket is asked for with GET' };
  const versions = getAllHeaders(headers, 'Sec-WebSocket-Version');
  if (versions.length !== 1 || versions[0] !== '13') {
    return { status: 426, reason: 'Sec-WebSocket-Version must be 13' };
  }
  const keys = getAllHeaders(headers, 'Sec-WebSocket-Key');
  const [key = ''] = keys;
  if (keys.length !== 1 || !nonce.test(key)) {
    return { status: 400, reason: 'Sec-WebSocket-Key must be one value of 16 bytes in base64' };
  }
  const listed = getAllHeaders(headers, 'Sec-WebSocket-Protocol').join(',');
  const protocols = listed === '' ? [] : listed.split(',').map((name) => name.trim());
  const isWrong =
    protocols.some((name) => !token.test(name) && !described.test(name)) || new Set(protocols).size < protocols.length;
  return isWrong ? { status: 400, reason: 'Sec-WebSocket-Protocol must list different names' } : { key, protocols };
}

/** True for a subprotocol that any WebSocket server can be asked for. */
export function isPlainProtocol(name: string): boolean {
  return token.test(name);
}

/** Fields of a handshake that concern one connection and are not passed on. */
export function isHandshakeField(name: string): boolean {
  return name.length > 14 && name.slice(0, 14).toLowerCase() === 'sec-websocket-';
}
