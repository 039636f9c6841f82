import type { Backoff } from '../sessions/backoff.ts';
import type { Sessions } from '../sessions/session.ts';
import type { WaitingRequests } from '../sessions/waiting-requests.ts';
import type { BrowserSettings } from './browser-settings.ts';
import type { Consents } from './consents.ts';
import type { LogoutNotices } from './logout-notices.ts';
import type { PushedRequests } from './par-store.ts';
import type { OAuthServices } from './services.ts';

/** The parts of endpoints that browsers come to. */
export interface BrowserServices extends OAuthServices {
  readonly browser: BrowserSettings;
  readonly sessions: Sessions;
  readonly waiting: WaitingRequests;
  readonly consents: Consents;
  readonly pushed: PushedRequests;
  /** Slows down the guessing of user codes. */
  readonly codeBackoff: Backoff;
  readonly notices: LogoutNotices;
}
