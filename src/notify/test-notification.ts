import { newRowId } from '#core';
import { adapterOf } from './adapters/index.ts';
import type { AdapterTools, Outcome } from './adapters/adapter.ts';
import { documentsOf } from './dispatch.ts';
import type { Notifications } from './notifications.ts';
import { mailStream, smsStream } from './publishers/shipped.ts';
import type { Channel } from './senders/sender.ts';
import type { NotifyTenant } from './tenant.ts';

/** One message to be sent at once, past the queue. */
export interface NotificationTest {
  readonly channel: Channel;
  readonly tenant: NotifyTenant;
  readonly to: string;
  readonly text: string;
  readonly subject: string;
  /** Name of the publisher; that of the channel when absent. */
  readonly publisher: string;
}

/** Sends one message and tells each step on the way. */
export async function testNotification(
  { publishers, senderStore }: Pick<Notifications, 'publishers' | 'senderStore'>,
  test: NotificationTest,
  tools: AdapterTools & { readonly report: (step: string) => void },
): Promise<Outcome> {
  const { report } = tools;
  const { tenant, channel } = test;
  const sender = await senderStore.find(tenant, test.publisher);
  report(sender ? `sender "${sender.name}" of ${tenant.domain}` : `publisher "${test.publisher}" of the files`);
  if (sender?.channel === 'sms') report(`provider ${sender.provider}`);
  const publisher = await publishers.byName(tenant, test.publisher);
  const adapter = publisher && adapterOf(publisher);
  if (!adapter) {
    return { kind: 'refused', detail: sender ? 'no body can be made for its provider' : 'there is no such publisher' };
  }
  const [document] = documentsOf(publisher, eventFor(test), tenant.domain);
  if (!document) return { kind: 'refused', detail: 'the event makes no message' };
  report(
    `${channel} by the ${adapter.type} adapter, ${Buffer.byteLength(document.body)} bytes of ${document.contentType}`,
  );
  return adapter.deliver({ ...document, id: newRowId(), publisher }, tools);
}

function eventFor({ channel, tenant, to, text, subject }: NotificationTest): Parameters<typeof documentsOf>[1] {
  const common = { 'tenant-domain': tenant.domain, 'notification-event': 'test', 'send-to': to, body: text };
  const own =
    channel === 'sms' ? { mobile: to } : { subject, footer: '', 'content-type': 'text/plain', locale: 'en_US' };
  return {
    stream: channel === 'sms' ? smsStream : mailStream,
    at: 0,
    values: new Map(Object.entries({ ...common, ...own })),
  };
}
