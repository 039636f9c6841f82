import type { CloseFacts } from '#transport';
import { isSendableCode } from '#transport';
import { MillraceError } from '#errors';
import type { NamedStore, PortRequest, PortTls } from '#mediation';
import type { InboundDefinition } from '../definition.ts';
import { anyText, flag, nameList, required, wholeNumber, type ParameterRule } from '../parameter-rules.ts';
import type { ResolvedParameters } from '../parameters.ts';

/** To whom what a flow answers goes: 0 to the client of the frame, 1 to all of its path, 2 to all of the endpoint. */
export type BroadcastLevel = 0 | 1 | 2;

/** How an endpoint treats the frames of its clients. */
export interface SocketSettings {
  /** Sequences for the frames of back ends; those of the sender when undefined. */
  readonly outflow: string | undefined;
  readonly outflowFault: string | undefined;
  readonly broadcastLevel: BroadcastLevel;
  /** The media type of frames for which no subprotocol says one; as they came when undefined. */
  readonly contentType: string | undefined;
  /** True to look for a sequence with the name of the client's path first. */
  readonly usesPathSequence: boolean;
  /** What clients are told when the endpoint ends. */
  readonly shutdown: CloseFacts;
  /** Frames that are mediated at once; undefined for one of each client. */
  readonly workers: number | undefined;
}

const closeCode: ParameterRule<number> = {
  read(value, name) {
    const code = wholeNumber(1000, 4999).read(value, name);
    if (isSendableCode(code)) return code;
    const message = `the parameter "${name}" must be a status that a close frame may carry (RFC 6455, 7.4); found ${code}`;
    throw new MillraceError({ code: 'MR_INBOUND_PARAMETER', message });
  },
};

/** As long as a reason in a close frame may be (RFC 6455, 5.5). */
const closeReason: ParameterRule<string> = {
  read(value, name) {
    const text = anyText.read(value, name);
    const size = Buffer.byteLength(text);
    if (size <= 123) return text;
    const message = `the parameter "${name}" must be a text of at most 123 bytes; found ${size} bytes`;
    throw new MillraceError({ code: 'MR_INBOUND_PARAMETER', message });
  },
};

const mediaType: ParameterRule<string> = {
  read(value, name) {
    const text = anyText.read(value, name);
    if (/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;.*)?$/.test(text)) return text;
    const message = `the parameter "${name}" must be a media type such as application/json; found "${text}"`;
    throw new MillraceError({ code: 'MR_INBOUND_PARAMETER', message });
  },
};

/** Names of classes between semicolons. */
const classList: ParameterRule<readonly string[]> = {
  read: (value, name) =>
    anyText
      .read(value, name)
      .split(';')
      .flatMap((part) => (part.trim() === '' ? [] : [part.trim()])),
};

const level = wholeNumber(0, 2);
const port = wholeNumber(0, 65_535);

/** What is done with frames, on every port that takes WebSockets (mediators 12.5). */
export const frameParameters = {
  'ws.outflow.dispatch.sequence': anyText,
  'ws.outflow.dispatch.fault.sequence': anyText,
  'ws.client.side.broadcast.level': level,
  'ws.default.content.type': mediaType,
  'ws.subprotocol.handler.class': classList,
  'ws.pipeline.handler.class': anyText,
  'ws.worker.thread.pool.size': wholeNumber(1),
  'ws.shutdown.status.code': closeCode,
  'ws.shutdown.status.message': closeReason,
  'dispatch.custom.sequence': flag,
} as const;

/** Parameters of `ws` and `wss`. */
export const socketParameters = {
  'inbound.ws.port': required(port),
  ...frameParameters,
  'ws.boss.thread.pool.size': wholeNumber(1),
  'ws.use.port.offset': flag,
  'wss.ssl.key.store.file': anyText,
  'wss.ssl.key.store.pass': anyText,
  'wss.ssl.key.store.type': anyText,
  'wss.ssl.cert.pass': anyText,
  'wss.ssl.trust.store.file': anyText,
  'wss.ssl.trust.store.pass': anyText,
  'wss.ssl.trust.store.type': anyText,
  'wss.ssl.protocols': nameList,
  'wss.ssl.cipher.suites': nameList,
} as const;

/** Reads what is done with frames. @throws ProblemsError for values that do not fit */
export function readSocketSettings(parameters: ResolvedParameters): SocketSettings {
  const { 'ws.default.content.type': type } = frameParameters;
  return {
    outflow: parameters.get('ws.outflow.dispatch.sequence', anyText),
    outflowFault: parameters.get('ws.outflow.dispatch.fault.sequence', anyText),
    broadcastLevel: (parameters.get('ws.client.side.broadcast.level', level) ?? 0) as BroadcastLevel,
    contentType: parameters.get('ws.default.content.type', type),
    usesPathSequence: parameters.get('dispatch.custom.sequence', flag) ?? false,
    shutdown: {
      code: parameters.get('ws.shutdown.status.code', closeCode) ?? 1001,
      reason: parameters.get('ws.shutdown.status.message', closeReason) ?? 'The server stops',
    },
    workers: parameters.get('ws.worker.thread.pool.size', wholeNumber(1)),
  };
}

/** The port that a `ws` or `wss` endpoint asks for. @throws ProblemsError for values that do not fit */
export function readSocketPort({ name, protocol }: InboundDefinition, parameters: ResolvedParameters): PortRequest {
  const handshakes = parameters.get('ws.boss.thread.pool.size', wholeNumber(1));
  return {
    endpoint: name,
    port: parameters.get('inbound.ws.port', port) ?? 0,
    parameter: 'inbound.ws.port',
    takesOffset: parameters.get('ws.use.port.offset', flag),
    tls: protocol === 'wss' ? readTls(parameters) : undefined,
    workers: handshakes === undefined ? undefined : { core: handshakes, max: handshakes, queue: undefined },
  };
}

function readTls(parameters: ResolvedParameters): PortTls {
  const trustStore = readStore(parameters, 'trust');
  return {
    keyStore: readStore(parameters, 'key'),
    trustStore,
    // Who names authorities wants to know the clients.
    verifyClient: trustStore ? 'require' : undefined,
    protocols: parameters.get('wss.ssl.protocols', nameList),
    ciphers: parameters.get('wss.ssl.cipher.suites', nameList),
  };
}

function readStore(parameters: ResolvedParameters, kind: 'key' | 'trust'): NamedStore | undefined {
  const location = parameters.get(`wss.ssl.${kind}.store.file`, anyText);
  if (location === undefined) return undefined;
  const password = parameters.get(`wss.ssl.${kind}.store.pass`, anyText) ?? '';
  const keyPassword = kind === 'key' ? parameters.get('wss.ssl.cert.pass', anyText) : undefined;
  return { location, password, keyPassword };
}

/** The names of the classes that take frames before they are messages. */
export function readFrameClasses(parameters: ResolvedParameters): {
  readonly subprotocols: readonly string[];
  readonly pipeline: string | undefined;
} {
  return {
    subprotocols: parameters.get('ws.subprotocol.handler.class', classList) ?? [],
    pipeline: parameters.get('ws.pipeline.handler.class', anyText),
  };
}
