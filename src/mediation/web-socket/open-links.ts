import type { CloseFacts, WebSocketLink } from '#transport';

const goodbye: CloseFacts = { code: 1001, reason: 'The server stops' };

/** The connections that are open, so that a stop can end all of them. */
export class OpenLinks {
  readonly #links = new Set<WebSocketLink>();
  #isClosing = false;
  /** Called when the last one has ended. */
  #emptied: (() => void) | undefined;

  /** True from the beginning of a stop on. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Notes connections until they are deleted; those that come during a stop are ended like the others. */
  add(...links: readonly WebSocketLink[]): void {
    for (const link of links) {
      this.#links.add(link);
      if (this.#isClosing) link.close(goodbye);
    }
  }

  delete(...links: readonly WebSocketLink[]): void {
    for (const link of links) this.#links.delete(link);
    if (this.#links.size === 0) this.#emptied?.();
  }

  /** Ends every connection with 1001 and waits, but not longer than `milliseconds`. */
  async drain(milliseconds: number): Promise<void> {
    this.#isClosing = true;
    for (const link of this.#links) link.close(goodbye);
    if (this.#links.size > 0 && milliseconds > 0) await this.#untilEmpty(milliseconds);
    for (const link of this.#links) link.terminate();
  }

  #untilEmpty(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#emptied = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
