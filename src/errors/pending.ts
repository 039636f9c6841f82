/**
 * Thrown where a value is asked for that has to be fetched first. It is no failure: whoever runs the step waits for
 * `ready` and runs the step again, when the value is there or its own error is.
 */
export class PendingValue extends Error {
  readonly ready: Promise<void>;

  constructor(what: string, ready: Promise<void>) {
    super(`${what} is still being fetched`);
    this.ready = ready;
  }
}
