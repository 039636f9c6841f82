import { Socket, type SocketConstructorOpts } from 'node:net';
import { sharedBuffer } from './kept-bytes.ts';

/**
 * Takes what a connection delivers; shared bytes are only good until it returns. False leaves them to those who read
 * the socket as a stream.
 */
export type ByteReader = (bytes: Buffer, isShared: boolean) => boolean;

/** What joins an accepted socket to the system and to its server. */
interface Joints {
  _handle?: object | null;
  _server?: object | null;
  server?: object | null;
}

const nobody: ByteReader = () => false;

/** A socket that reads into the shared buffer. */
class SharingSocket extends Socket {
  reader: ByteReader = nobody;

  constructor(options: SocketConstructorOpts) {
    const callback = (length: number): boolean => {
      const bytes = sharedBuffer.subarray(0, length);
      return this.reader(bytes, true) || this.push(Buffer.from(bytes));
    };
    const settings: object = { ...options, onread: { buffer: sharedBuffer, callback } };
    super(settings);
  }
}

/**
 * The connection of a socket that a server accepted and that has not begun to read, on a socket that reads into the
 * shared buffer. A server of Node has no option for it, as a client has, so the new socket takes the place of the old
 * one. Where that has no such joints it stays.
 */
export function readingShared(accepted: Socket, options: { readonly bufferSize: number | undefined }): Socket {
  const old: Joints = accepted;
  const { _handle: handle, _server: server } = old;
  if (!handle || !server) return accepted;
  const { bufferSize } = options;
  const settings: object = {
    handle,
    ...(bufferSize === undefined ? {} : { readableHighWaterMark: bufferSize, writableHighWaterMark: bufferSize }),
  };
  const socket = new SharingSocket(settings);
  const joints: Joints = socket;
  joints._server = server;
  joints.server = server;
  old._handle = null;
  old._server = null;
  old.server = null;
  return socket;
}

/** Lets `read` have what comes over the socket from now on. */
export function readBytesOf(socket: Socket, read: ByteReader): void {
  if (socket instanceof SharingSocket) {
    socket.reader = read;
    return;
  }
  socket.on('data', (bytes: Buffer) => void read(bytes, false));
  socket.resume();
}
