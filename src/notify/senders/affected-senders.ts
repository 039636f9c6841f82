import { getLogger } from '#core';
import { toError } from '#errors';
import { missingProperties, smsMapping, type Templates } from './sender-publisher.ts';
import type { SenderStore } from './sender-store.ts';

const log = getLogger('notify');

/** A sender that the templates of now leave without something. */
export interface AffectedSender {
  readonly tenantId: number;
  readonly name: string;
  readonly provider: string;
  readonly problem: string;
}

/** Senders that were fine when they were made and are not after a change of the templates (ruling 9). */
export async function affectedSenders(store: SenderStore, templates: Templates): Promise<readonly AffectedSender[]> {
  return (await store.all()).flatMap(({ tenantId, sender }) => {
    if (sender.channel !== 'sms') return [];
    const facts = { tenantId, name: sender.name, provider: sender.provider };
    if (!smsMapping(sender, templates))
      return [{ ...facts, problem: 'there is no template for its provider any more' }];
    const missing = missingProperties(sender, templates);
    if (missing.length === 0) return [];
    return [
      { ...facts, problem: `the template names ${missing.map((name) => `$${name}`).join(', ')}, which it lacks` },
    ];
  });
}

/** Writes them into the log. */
export async function logAffected(store: SenderStore, templates: Templates): Promise<void> {
  try {
    for (const { tenantId, name, provider, problem } of await affectedSenders(store, templates)) {
      log.warn(
        { tenant: tenantId, sender: name, provider, problem },
        'a notification sender no longer fits the template of its provider',
      );
    }
  } catch (error) {
    log.error({ err: toError(error) }, 'notification senders could not be compared with the templates');
  }
}
