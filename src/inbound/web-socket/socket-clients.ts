import { createWorkerPool, getLogger, type WorkerPool } from '#core';
import type { PortClients } from '#mediation';
import type { CloseFacts, WebSocketFrame } from '#transport';
import type { BroadcastLevel } from './socket-parameters.ts';

const log = getLogger('inbound');

/** Connections that a port holds at once; a handshake beyond gets 503. */
const maximumClients = 10_000;
/** Milliseconds within which the flows of clients must have ended that the endpoint has sent away. */
const patience = 10_000;

/** A client as the others of its endpoint see it. */
export interface SocketClient {
  readonly path: string;
  /** Sends without waiting; a client that does not keep up is sent away. */
  push(frame: WebSocketFrame): void;
  close(facts: CloseFacts): void;
}

/** The clients of one port. */
export class SocketClients implements PortClients {
  readonly #clients = new Set<SocketClient>();
  readonly #pool: WorkerPool | undefined;
  readonly #emptied: (() => void)[] = [];
  #closing: CloseFacts | undefined;

  constructor(workers: number | undefined) {
    this.#pool =
      workers === undefined
        ? undefined
        : createWorkerPool({ core: workers, max: workers, queue: -1, expectedWait: patience, log });
  }

  get hasRoom(): boolean {
    return this.#closing === undefined && this.#clients.size < maximumClients;
  }

  get size(): number {
    return this.#clients.size;
  }

  add(client: SocketClient): void {
    this.#clients.add(client);
    if (this.#closing) client.close(this.#closing);
  }

  /** Forgets a client of which everything has ended. */
  delete(client: SocketClient): void {
    this.#clients.delete(client);
    if (this.#clients.size === 0) for (const tell of this.#emptied.splice(0)) tell();
  }

  /** Sends a frame to the clients of a path, or to all. */
  broadcast(frame: WebSocketFrame, { path, level }: { readonly path: string; readonly level: BroadcastLevel }): void {
    for (const client of this.#clients) if (level === 2 || client.path === path) client.push(frame);
  }

  /** Does the work of a frame when a worker is free. */
  work(task: () => Promise<void>): Promise<void> {
    const pool = this.#pool;
    if (!pool) return task();
    return new Promise((resolve, reject) => {
      pool.take((free) => void task().then(resolve, reject).finally(free));
    });
  }

  /** Sends everybody away, and waits for what they have begun, but not for long. */
  async close(facts: CloseFacts): Promise<void> {
    this.#closing = facts;
    for (const client of this.#clients) client.close(facts);
    if (this.#clients.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => void (timer = setTimeout(resolve, patience)));
    await Promise.race([late, new Promise<void>((resolve) => void this.#emptied.push(resolve))]);
    clearTimeout(timer);
    if (this.#clients.size > 0) log.warn({ clients: this.#clients.size }, 'clients did not end in time');
  }
}
