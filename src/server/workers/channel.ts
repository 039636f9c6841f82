import type { Serializable } from 'node:child_process';
import { getLogger } from '#core';
import { messageOf, MillraceError, ProblemsError, toError, type Problem } from '#errors';

const log = getLogger('server.workers');

/** What the other process asks for, by name: a call when it waits for the result. */
export type Methods = Readonly<Record<string, (...args: never[]) => unknown>>;

type Wire =
  | { readonly call: string; readonly id: number | undefined; readonly args: readonly unknown[] }
  | { readonly answer: number; readonly value?: unknown; readonly failure?: WireFailure };

/** An error on its way to the other process: its kind would not survive. */
interface WireFailure {
  readonly code: string | number;
  readonly message: string;
  readonly status: number | undefined;
  /** All that is wrong with a file, where that is the error. */
  readonly problems?: readonly Problem[];
}

/** One end of the connection between two processes. */
export interface ChannelEnd {
  send(message: Serializable, done: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

/** Calls the other process, and answers its calls with `methods`. */
export class Channel {
  readonly #end: ChannelEnd;
  readonly #methods: Methods;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #last = 0;
  #isClosed = false;

  constructor(end: ChannelEnd, methods: Methods) {
    this.#end = end;
    this.#methods = methods;
    end.on('message', (message) => this.#receive(message as Wire));
    end.on('disconnect', () => this.#close());
  }

  /** @throws MillraceError as the other process threw it, or `MR_WORKER_GONE` when it is no more */
  call<T>(name: string, ...args: readonly unknown[]): Promise<T> {
    if (this.#isClosed) return Promise.reject(gone());
    const id = ++this.#last;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    this.#send({ call: name, id, args });
    return promise as Promise<T>;
  }

  /** Tells the other process something without waiting for what comes of it. */
  post(name: string, ...args: readonly unknown[]): void {
    if (!this.#isClosed) this.#send({ call: name, id: undefined, args });
  }

  #send(message: Wire): void {
    this.#end.send(message, (error) => {
      if (error) this.#close();
    });
  }

  #receive(message: Wire): void {
    if ('call' in message) {
      void this.#handle(message);
      return;
    }
    const waiting = this.#waiting.get(message.answer);
    this.#waiting.delete(message.answer);
    const { failure } = message;
    if (failure) waiting?.reject(errorOf(failure));
    else waiting?.resolve(message.value);
  }

  async #handle({ call, id, args }: Extract<Wire, { call: string }>): Promise<void> {
    try {
      const method = this.#methods[call];
      if (!method) throw new Error(`there is no method "${call}"`);
      const value = await method(...(args as never[]));
      if (id !== undefined && !this.#isClosed) this.#send({ answer: id, value });
    } catch (error) {
      if (id === undefined) log.error({ err: toError(error), call }, 'what another process told could not be used');
      else if (!this.#isClosed) this.#send({ answer: id, failure: failureOf(error) });
    }
  }

  #close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting.values()) waiting.reject(gone());
    this.#waiting.clear();
  }
}

/** An error in the form in which another process gets it. */
function failureOf(error: unknown): WireFailure {
  if (error instanceof MillraceError) {
    const { code, message, status } = error;
    return { code, message, status, ...(error instanceof ProblemsError && { problems: error.problems }) };
  }
  return { code: 'MR_WORKER_FAILED', message: messageOf(error), status: undefined };
}

function errorOf({ code, message, status, problems }: WireFailure): MillraceError {
  if (problems) return new ProblemsError(problems);
  return new MillraceError({ code, message, ...(status === undefined ? {} : { status }) });
}

function gone(): MillraceError {
  return new MillraceError({ code: 'MR_WORKER_GONE', message: 'The other process has ended' });
}
