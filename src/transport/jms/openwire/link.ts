import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '#core';
import { messageOf } from '#errors';
import { connectPatience, jmsError } from '../provider.ts';
import type { BrokerAddress } from '../broker-url.ts';
import { decodeCommand, encodeCommand, type Command } from './codec.ts';
import { agreeOn, offerWireFormat } from './wire-format.ts';

/** Largest frame that is taken; the broker's own limit is 100 MB unless configured. */
const largestFrame = 512 * 1024 * 1024;
const defaultInactivity = 30_000;

/** Commands to and from one broker. */
export interface Link {
  readonly isOpen: boolean;
  write(command: Command): void;
  /** Ends the connection; what waits for it hears the reason. */
  close(reason?: Error): void;
}

export interface LinkEvents {
  command(command: Command): void;
  /** Once, however it ended. */
  closed(reason: Error): void;
}

/**
 * Connects to a broker, agrees on the encoding and keeps the connection alive (OpenWire's `WireFormatInfo` and
 * `KeepAliveInfo`).
 *
 * @throws MillraceError `MR_JMS_CONNECT` or `MR_JMS_PROTOCOL` naming host and port
 */
export function openLink(address: BrokerAddress, events: LinkEvents, clock: Clock): Promise<Link> {
  return new Promise((resolve, reject) => {
    const { host, port, usesTls, options } = address;
    const place = `${host}:${port}`;
    const inactivity = numberOption(options, 'wireFormat.maxInactivityDuration', defaultInactivity);
    const socket = usesTls
      ? connectTls({ host, port, servername: host, ...tlsOptionsOf(options) })
      : connectTcp({ host, port });
    socket.setNoDelay(true);
    const link = new SocketLink(socket);
    let isReady = false;
    const patience = numberOption(options, 'connectionTimeout', connectPatience);
    const stopWaiting = clock.after(patience, () =>
      end(jmsError('MR_JMS_CONNECT', `${place} did not answer within ${patience} ms`)),
    );
    let stopBeat = (): void => undefined;

    const end = (reason: Error): void => {
      if (link.hasEnded) return;
      link.hasEnded = true;
      stopWaiting();
      stopBeat();
      socket.destroy();
      if (isReady) events.closed(reason);
      else reject(reason);
    };
    link.end = end;

    const take = (command: Command): void => {
      if (command.name === 'WireFormatInfo') {
        stopBeat = keepAlive({ link, clock, end, place, milliseconds: agreeOn(inactivity, command).maxInactivity });
        stopWaiting();
        isReady = true;
        resolve(link);
      } else if (command.name === 'KeepAliveInfo') {
        if (command.fields['responseRequired'] === true) link.write({ name: 'KeepAliveInfo', fields: {} });
      } else {
        events.command(command);
      }
    };

    socket.on(usesTls ? 'secureConnect' : 'connect', () => link.write(offerWireFormat(inactivity)));
    socket.on('data', (chunk: Buffer) => {
      try {
        link.heard = true;
        for (const frame of link.framesOf(chunk)) take(decodeCommand(frame));
      } catch (error) {
        end(jmsError('MR_JMS_PROTOCOL', `${place} sent what cannot be read: ${messageOf(error)}`, error));
      }
    });
    socket.on('error', (error) =>
      end(jmsError(isReady ? 'MR_JMS_LOST' : 'MR_JMS_CONNECT', `${place}: ${messageOf(error)}`, error)),
    );
    socket.on('close', () =>
      end(jmsError(isReady ? 'MR_JMS_LOST' : 'MR_JMS_CONNECT', `${place} closed the connection`)),
    );
  });
}

class SocketLink implements Link {
  readonly #socket: Socket;
  #pending: Buffer[] = [];
  #pendingLength = 0;
  hasEnded = false;
  /** Whether anything came, or went, since the last beat. */
  heard = true;
  spoke = true;
  end: (reason: Error) => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get isOpen(): boolean {
    return !this.hasEnded;
  }

  write(command: Command): void {
    if (this.hasEnded) return;
    const bytes = encodeCommand(command);
    const size = Buffer.allocUnsafe(4);
    size.writeUInt32BE(bytes.length);
    this.spoke = true;
    this.#socket.cork();
    this.#socket.write(size);
    this.#socket.write(bytes);
    this.#socket.uncork();
  }

  close(reason = jmsError('MR_JMS_LOST', 'the connection was closed')): void {
    if (!this.hasEnded) this.#socket.end();
    this.end(reason);
  }

  /** The complete frames that there are with this chunk. */
  framesOf(chunk: Buffer): readonly Buffer[] {
    this.#pending.push(chunk);
    this.#pendingLength += chunk.length;
    const frames: Buffer[] = [];
    while (this.#pendingLength >= 4) {
      const head = (this.#pending[0]?.length ?? 0) >= 4 ? this.#pending[0] : Buffer.concat(this.#pending);
      const size = head?.readUInt32BE(0) ?? 0;
      if (size > largestFrame) throw new RangeError(`a frame of ${size} bytes`);
      if (this.#pendingLength < size + 4) break;
      const all = this.#pending.length === 1 ? this.#pending[0]! : Buffer.concat(this.#pending);
      frames.push(all.subarray(4, size + 4));
      this.#pending = [all.subarray(size + 4)];
      this.#pendingLength -= size + 4;
    }
    return frames;
  }
}

interface Beat {
  readonly link: SocketLink;
  readonly clock: Clock;
  readonly end: (reason: Error) => void;
  readonly place: string;
  readonly milliseconds: number;
}

/** Speaks when there was silence for a third of the time, and ends the link after the whole of it. */
function keepAlive({ link, clock, end, place, milliseconds }: Beat): () => void {
  if (milliseconds <= 0) return () => undefined;
  let silence = 0;
  let cancel = (): void => undefined;
  const beat = (): void => {
    silence = link.heard ? 0 : silence + 1;
    if (silence >= 3) return end(jmsError('MR_JMS_LOST', `${place} was silent for ${milliseconds} ms`));
    if (!link.spoke) link.write({ name: 'KeepAliveInfo', fields: {} });
    link.heard = false;
    link.spoke = false;
    cancel = clock.after(milliseconds / 3, beat);
    return undefined;
  };
  beat();
  return () => cancel();
}

function tlsOptionsOf(options: ReadonlyMap<string, string>): {
  rejectUnauthorized?: boolean;
  checkServerIdentity?: () => undefined;
} {
  const name = 'socket.verifyHostName';
  return options.get(name) === 'false' ? { checkServerIdentity: () => undefined } : {};
}

function numberOption(options: ReadonlyMap<string, string>, name: string, fallback: number): number {
  const text = options.get(name) ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : fallback;
}
