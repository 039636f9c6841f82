import { closeForBackEnd, closeForClient, type CloseFacts, type WebSocketLink } from '#transport';
import type { Outflow } from './outflow.ts';

/**
 * Makes one connection of two: frames go to the other side at the pace at which it takes them, and the end of one is
 * the end of both.
 *
 * @param onClosed called once, when the back end has gone
 */
export function joinLinks(client: WebSocketLink, backEnd: WebSocketLink, { outflow, onClosed }: JoinOptions): void {
  client.start({
    received(frame) {
      if (!backEnd.send(frame)) client.pause();
    },
    drained: () => backEnd.resume(),
    closed: (facts) => backEnd.close(closeForBackEnd(facts)),
  });
  backEnd.start({
    received(frame) {
      if (!outflow.isDirect) outflow.take(frame, backEnd);
      else if (!client.send(frame)) backEnd.pause();
    },
    drained: () => client.resume(),
    closed(facts) {
      client.close(closeForClient(facts));
      onClosed(facts);
    },
  });
}

export interface JoinOptions {
  readonly outflow: Outflow;
  readonly onClosed: (facts: CloseFacts) => void;
}
