import { dirname } from 'node:path';
import { getLogger } from '#core';
import { toError } from '#errors';
import { readTemplates, shipTemplates, templateFileOf } from './providers/template-file.ts';
import { logProblems, readPublishers, shipPublishers, type PublisherFolders } from './publishers/publisher-files.ts';
import type { PublisherSet } from './publishers/publisher-files.ts';
import type { TemplateSet } from './providers/template-file.ts';
import { watchFolders } from './watch-folders.ts';

const log = getLogger('notify');

/** The folders of a home that notifications read. */
export interface NotifyFolders extends PublisherFolders {
  readonly conf: string;
}

/** Publishers, streams and templates as the files say now. */
export interface LiveFiles extends Disposable {
  readonly publishers: PublisherSet;
  readonly templates: TemplateSet;
  /** Reads a changed home again from now on, and calls `changed` after each time. */
  watch(changed: () => void): void;
}

/** Opens the files of a home; one that has none gets the shipped ones. */
export function openLiveFiles(folders: NotifyFolders): LiveFiles {
  const templateFile = templateFileOf(folders.conf);
  shipPublishers(folders);
  shipTemplates(templateFile);
  let publishers = readPublishers(folders);
  let templates = readTemplates(templateFile);
  logProblems([...publishers.problems, ...templates.problems]);
  let watcher: Disposable | undefined;
  const readAgain = (changed: () => void): void => {
    try {
      const found = readTemplates(templateFile);
      // A file that cannot be parsed changes nothing.
      const isBroken = found.templates.size === 0 && found.problems.some(({ severity }) => severity === 'error');
      if (!isBroken) templates = found;
      publishers = readPublishers(folders);
      logProblems([...publishers.problems, ...found.problems]);
      log.info(
        { publishers: publishers.publishers.size, templates: templates.templates.size },
        'files of notifications were read again',
      );
      changed();
    } catch (error) {
      log.error({ err: toError(error) }, 'changed files of notifications cannot be read; what was read before stays');
    }
  };
  return {
    get publishers() {
      return publishers;
    },
    get templates() {
      return templates;
    },
    watch(changed) {
      const watched = [folders.eventpublishers, folders.eventstreams, dirname(templateFile)];
      watcher ??= watchFolders(watched, () => readAgain(changed));
    },
    [Symbol.dispose]: () => watcher?.[Symbol.dispose](),
  };
}
