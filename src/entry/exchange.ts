import { getLogger } from '#core';
import type { Answer } from '#mediation';
import { STOP, type Compiled } from '#mediation';
import {
  noteIncident,
  type FlowCount,
  type Incident,
  type Message,
  type MessageEnvironment,
  type MessageExchange,
} from '#message';
import type { Body, HttpResponder, ResponseHead } from '#transport';

const log = getLogger('entry');

/** The exchange of one HTTP request: answers its client, once. */
export class HttpExchange implements MessageExchange, HttpResponder {
  readonly environment: MessageEnvironment;
  readonly operation = new Map<string, unknown>();
  readonly #responder: HttpResponder;
  readonly #answer: Answer;
  /** The response flow; undefined sends a response straight to the client. */
  outFlow: Compiled | undefined;
  /** Adds what the API itself contributes to the headers of an answer. */
  decorate: ((message: Message) => void) | undefined;
  /** Compares an answer with the API's definition; what does not fit is a fault. */
  validate: ((message: Message) => Promise<void>) | undefined;
  /** Sees each answer before it is written; false withholds it. */
  beforeAnswer: ((message: Message) => Promise<boolean>) | undefined;
  /** Completes an answer once it is known what it is, such as with headers of WS-Addressing. */
  complete: ((message: Message) => Promise<void>) | undefined;
  /** Takes an answer that the client wants somewhere else; false leaves it to the client's connection. */
  redirect: ((message: Message) => Promise<boolean>) | undefined;
  /** Sees each message before it goes to a back end without blocking. */
  beforeSending: ((message: Message) => void) | undefined;
  /** True when the client expects no answer: it gets 202 as soon as the message waits for a back end. */
  oneWay = false;
  answered = false;
  failed = false;
  releases: (() => void)[] | undefined;
  flows: FlowCount | undefined;
  incidents: Incident[] | undefined;
  ifNoneMatch: string | undefined;
  acceptsTrailers: boolean | undefined;
  namedOperation: MessageExchange['namedOperation'];
  /** Called when the flow waits for a back end for the first time without blocking. */
  onSent: (() => void) | undefined;
  /** The status that the client got. */
  status: number | undefined;
  #isSent = false;
  /** True while an answer waits for its payload. */
  #isAnswering = false;

  constructor(environment: MessageEnvironment, responder: HttpResponder, answer: Answer) {
    this.environment = environment;
    this.#responder = responder;
    this.#answer = answer;
  }

  get sentAsynchronously(): boolean {
    return this.#isSent;
  }

  set sentAsynchronously(isSent: boolean) {
    if (isSent && !this.#isSent) this.onSent?.();
    this.#isSent = isSent;
  }

  waits(message: Message): void {
    this.sentAsynchronously = true;
    this.beforeSending?.(message);
    const isPromised = message.axis2.get('FORCE_SC_ACCEPTED');
    if (this.oneWay || isPromised === true || isPromised === 'true') this.answerStatus(202);
  }

  respondThrough(message: Message): boolean | Promise<boolean> {
    if (this.outFlow) return this.outFlow(message);
    const pending = this.answer(message);
    return pending ? pending.then(() => STOP) : STOP;
  }

  answer(message: Message): void | Promise<void> {
    const { redirect } = this;
    if (!redirect) return this.#answerClient(message);
    return redirect(message).then((isTaken) => {
      if (isTaken) this.answerStatus(202);
      return isTaken ? undefined : this.#answerClient(message);
    });
  }

  #answerClient(message: Message): void | Promise<void> {
    if (this.answered || this.#isAnswering || this.#responder.finished) {
      const hasAnswer = this.answered || this.#isAnswering;
      const reason = hasAnswer ? 'the client has its answer already' : 'the client has gone';
      if (!hasAnswer) noteIncident(message, 'discarded', { reason });
      // That nobody waits for the answer of a one-way operation is as it should be.
      if (!this.oneWay) log.warn({ message: message.id, reason }, 'an answer was discarded');
      message.payload.discard();
      this.answered ||= !this.#isAnswering;
      return undefined;
    }
    // What a fault sequence answers need not fit the definition.
    const { validate } = this;
    if (validate && !this.failed) return this.#countWhenWritten(validate(message).then(() => this.#write(message)));
    const pending = this.#write(message);
    // Only an answer that was really written counts: when it cannot be, a fault sequence may still answer.
    if (!pending) this.answered = true;
    return pending && this.#countWhenWritten(pending);
  }

  #write(message: Message): void | Promise<void> {
    const { beforeAnswer } = this;
    if (!beforeAnswer) return this.#writeNow(message);
    // A handler that answers itself is not asked about its own answer.
    this.beforeAnswer = undefined;
    return beforeAnswer(message).then((goesOn) => (goesOn ? this.#writeNow(message) : undefined));
  }

  #writeNow(message: Message): void | Promise<void> {
    this.decorate?.(message);
    const { complete } = this;
    return complete ? complete(message).then(() => this.#answer(message, this)) : this.#answer(message, this);
  }

  async #countWhenWritten(pending: Promise<void>): Promise<void> {
    this.#isAnswering = true;
    try {
      await pending;
      this.answered = true;
    } finally {
      this.#isAnswering = false;
    }
  }

  get finished(): boolean {
    return this.#responder.finished;
  }

  /** Hands an answer to the transport; what a flow answers comes through `answer`. */
  respond(head: ResponseHead, body: Body): void {
    this.status = head.status;
    this.#responder.respond(head, body);
  }

  onGone(listener: () => void): void {
    this.#responder.onGone(listener);
  }

  /** Answers without mediation: a status with nothing in it. */
  answerStatus(status: number, headers: string[] = []): void {
    if (this.answered || this.#responder.finished) return;
    this.answered = true;
    this.respond({ status, headers }, null);
  }

  /** Answers with text that the engine itself wrote. */
  answerText(status: number, contentType: string, text: string): void {
    if (this.answered || this.#responder.finished) return;
    this.answered = true;
    this.respond({ status, headers: ['Content-Type', contentType] }, Buffer.from(text));
  }
}
