import { renderReference } from '../src/config/reference.ts';
import { renderSchema } from '../src/config/schema.ts';
import { corpusPage, renderCorpusPage } from './corpus.ts';
import { honouredIds, renderHonouredKeys } from './honoured-keys.ts';
import { renderNotices } from './notices.ts';
import { oauthChecklistPage, renderOauthChecklist } from './oauth-checklist.ts';

/** A file of the repository that is made from sources. */
export interface Generator {
  /** Path from the repository's root. */
  readonly path: string;
  render(): string | Promise<string>;
}

/** Every generated file, one line each. */
export const generators: readonly Generator[] = [
  { path: 'src/config/honoured.ts', render: renderHonouredKeys },
  { path: 'docs/reference/configuration.md', render: async () => renderReference(await honouredIds()) },
  { path: 'docs/reference/deployment.schema.json', render: renderSchema },
  { path: corpusPage, render: renderCorpusPage },
  { path: oauthChecklistPage, render: renderOauthChecklist },
  { path: 'THIRD-PARTY-NOTICES', render: renderNotices },
];
