import { STOP } from '#mediation';
import type { FlowCount, Incident, MessageEnvironment, MessageExchange } from '#message';

/** The exchange of a sequence under test: nobody waits for an answer, and the message is looked at instead. */
export class SequenceExchange implements MessageExchange {
  readonly environment: MessageEnvironment;
  readonly operation = new Map<string, unknown>();
  readonly ifNoneMatch = undefined;
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

  respondThrough(): boolean {
    return STOP;
  }

  answer(): void {
    this.answered = true;
  }
}
