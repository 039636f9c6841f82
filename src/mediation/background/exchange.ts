import { getLogger } from '#core';
import type { FlowCount, Incident, Message, MessageEnvironment, MessageExchange } from '#message';
import { STOP } from '../flow.ts';
import { libraryOf } from '../context.ts';
import type { Compiled } from '../mediator.ts';

const log = getLogger('mediation');

/** The exchange of a message that no client sent: answers go nowhere unless somebody takes them. */
export class BackgroundExchange implements MessageExchange {
  readonly environment: MessageEnvironment;
  readonly operation = new Map<string, unknown>();
  readonly ifNoneMatch = undefined;
  /** Takes what `send` brings back; the sequence `main` when undefined. */
  outFlow: Compiled | undefined;
  /** Takes the answer, such as the sender of a message that asks for one. */
  onAnswer: ((message: Message) => Promise<void>) | undefined;
  answered = false;
  sentAsynchronously = false;
  failed = false;
  flows: FlowCount | undefined;
  incidents: Incident[] | undefined;
  releases: (() => void)[] | undefined;

  constructor(environment: MessageEnvironment) {
    this.environment = environment;
  }

  waits(): void {
    this.sentAsynchronously = true;
  }

  respondThrough(message: Message): boolean | Promise<boolean> {
    const flow = this.outFlow ?? libraryOf(message).sequence('main');
    return flow?.(message) ?? STOP;
  }

  answer(message: Message): void | Promise<void> {
    this.answered = true;
    if (this.onAnswer) return this.onAnswer(message);
    log.debug({ message: message.id }, 'an answer was given to a message that no client waits for');
    message.payload.discard();
    return undefined;
  }
}
