import type { Message } from './message.ts';

/** One thing that went wrong on the way of a message. */
export interface Incident {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: 'fault' | 'back end' | 'incomplete group' | 'discarded';
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Most incidents that are kept for one exchange: a split into thousands may fail thousands of times. */
const mostIncidents = 50;

/** Adds to what went wrong in the exchange of a message; the first ones are kept. */
export function noteIncident(message: Message, kind: Incident['kind'], facts: Incident['facts']): void {
  const incidents = (message.exchange.incidents ??= []);
  if (incidents.length < mostIncidents) incidents.push({ at: message.now(), kind, facts });
}
