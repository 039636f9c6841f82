import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import rhea from 'rhea';
import type { Delivery, EventContext, Message, Sender } from 'rhea';

/** A broker of AMQP 1.0 in this process: queues that give each message to one receiver until somebody accepts it. */
export interface AmqpBroker extends AsyncDisposable {
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** Ends all connections without a word. */
  cut(): void;
}

interface Queue {
  readonly waiting: Message[];
  readonly receivers: Sender[];
}

export async function startAmqpBroker(): Promise<AmqpBroker> {
  const account = { username: 'carrier', password: 'pass word' };
  const container = rhea.create_container({ id: 'peer' });
  container.sasl_server_mechanisms.enable_plain(
    (username: string, password: string) => username === account.username && password === account.password,
  );
  const queues = new Map<string, Queue>();
  const queueOf = (name: string): Queue => {
    const queue = queues.get(name) ?? { waiting: [], receivers: [] };
    queues.set(name, queue);
    return queue;
  };
  /** What was sent and not accepted, by delivery. */
  const outstanding = new Map<
    Delivery,
    { readonly queue: Queue; readonly message: Message; readonly sender: Sender }
  >();
  const isBrowser = (sender: Sender): boolean =>
    (sender.source as { distribution_mode?: unknown } | undefined)?.distribution_mode?.toString() === 'copy';

  /** One message at a time: a sender notes only later that it has used its credit. */
  const pump = (queue: Queue): void => {
    const sender = queue.receivers.find((each) => each.sendable());
    const message = sender && queue.waiting.shift();
    if (!message) return;
    outstanding.set(sender.send(message), { queue, message, sender });
    setImmediate(pump, queue);
  };
  const giveBack = (sender: Sender): void => {
    for (const [delivery, { queue, message, sender: other }] of [...outstanding].reverse()) {
      if (other !== sender) continue;
      outstanding.delete(delivery);
      queue.waiting.unshift({ ...message, delivery_count: (message.delivery_count ?? 0) + 1 });
    }
    for (const queue of queues.values()) {
      const at = queue.receivers.indexOf(sender);
      if (at >= 0) queue.receivers.splice(at, 1);
      pump(queue);
    }
  };
  const browse = (sender: Sender, queue: Queue): void => {
    // As above, credit is not up to date while messages are on their way.
    for (const message of queue.waiting.slice(0, (sender as unknown as { credit: number }).credit))
      sender.send(message);
    sender.set_drained(true);
  };

  container.on('receiver_open', ({ receiver }: EventContext) => {
    receiver?.set_target(remoteOf(receiver).target);
  });
  container.on('message', ({ receiver, message }: EventContext) => {
    const queue = queueOf(remoteOf(receiver).target.address);
    queue.waiting.push(message!);
    pump(queue);
  });
  container.on('sender_open', ({ sender }: EventContext) => {
    const { source } = remoteOf(sender);
    // A queue of the receiver's own is named by the broker.
    if (source.dynamic === true) source.address = randomUUID();
    sender!.set_source(source);
  });
  container.on('sendable', ({ sender }: EventContext) => {
    const queue = queueOf(remoteOf(sender).source.address);
    if (isBrowser(sender!)) return undefined;
    if (!queue.receivers.includes(sender!)) queue.receivers.push(sender!);
    return pump(queue);
  });
  container.on('sender_draining', ({ sender }: EventContext) => {
    if (isBrowser(sender!)) browse(sender!, queueOf(remoteOf(sender).source.address));
  });
  container.on('accepted', ({ delivery }: EventContext) => void outstanding.delete(delivery!));
  container.on('modified', ({ delivery }: EventContext) => {
    const given = outstanding.get(delivery!);
    if (!given) return;
    outstanding.delete(delivery!);
    const { queue, message } = given;
    queue.waiting.unshift({ ...message, delivery_count: (message.delivery_count ?? 0) + 1 });
    pump(queue);
  });
  container.on('sender_close', ({ sender }: EventContext) => giveBack(sender!));
  container.on('disconnected', ({ connection }: EventContext) => {
    for (const { sender } of outstanding.values()) if (sender.connection === connection) giveBack(sender);
  });
  container.on('error', () => undefined);

  const server = container.listen({ port: 0, host: '127.0.0.1' } as never) as Server;
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => sockets.add(socket));
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    port: (server.address() as AddressInfo).port,
    ...account,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What the other side said when it attached a link. */
function remoteOf(link: unknown): {
  readonly source: { address: string; dynamic?: boolean };
  readonly target: { address: string };
} {
  return (link as { remote: { attach: ReturnType<typeof remoteOf> } }).remote.attach;
}
