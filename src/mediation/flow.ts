/** What a mediator says at its end: go on with the next one, or end this flow and every list around it. */
export type Flow = boolean;

export const CONTINUE: Flow = true;
export const STOP: Flow = false;
