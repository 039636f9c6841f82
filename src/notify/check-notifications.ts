import type { Problem } from '#errors';
import { readTemplates, templateFileOf } from './providers/template-file.ts';
import { existsSync } from 'node:fs';
import { readPublishers } from './publishers/publisher-files.ts';
import type { NotifyFolders } from './live-files.ts';
import { affectedSenders } from './senders/affected-senders.ts';
import type { SenderStore } from './senders/sender-store.ts';

/**
 * What is wrong in the publishers, streams and templates of a home, and which senders of its database no longer fit
 * the templates (ruling 9).
 *
 * @param senders the senders of the home; absent where there is no database yet
 */
export async function checkNotifications(
  folders: NotifyFolders,
  senders: SenderStore | undefined,
): Promise<readonly Problem[]> {
  const file = templateFileOf(folders.conf);
  const { problems: ofFiles } = readPublishers(folders);
  if (!existsSync(file)) return ofFiles;
  const { templates, problems: ofTemplates } = readTemplates(file);
  const affected = senders ? await affectedSenders(senders, templates) : [];
  const ofSenders = affected.map(({ tenantId, name, provider, problem }): Problem => ({
    code: 'MR_NOTIFY_SENDER',
    severity: 'warning',
    message: `The sender "${name}" of tenant ${tenantId} (${provider}) no longer fits: ${problem}`,
    position: { file, line: 1, column: 1 },
  }));
  return [...ofFiles, ...ofTemplates, ...ofSenders];
}
