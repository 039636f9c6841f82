import { html, type Html } from '#rest';
import { messagePage } from './message-pages.ts';
import { pageDocument } from './page.ts';
import { fill, texts } from './texts.ts';

export interface LogoutQuestion {
  /** Undefined when nobody can say which application asks. */
  readonly application: string | undefined;
  readonly action: string;
  readonly sessionDataKey: string;
  readonly token: string;
}

/** Asks whether the user wants to be signed out (OpenID Connect RP-Initiated Logout 2). */
export function logoutQuestionPage({ application, action, sessionDataKey, token }: LogoutQuestion): Html {
  const { logout } = texts;
  const lead = application === undefined ? logout.leadUnknown : fill(logout.lead, { application });
  const content = html`<p class="soft">${lead}</p>
    <form method="post" action="${action}">
      <input type="hidden" name="sessionDataKey" value="${sessionDataKey}" />
      <input type="hidden" name="formToken" value="${token}" />
      <div class="buttons">
        <button name="consent" value="approve">${logout.approve}</button>
        <button name="consent" value="deny" class="second">${logout.deny}</button>
      </div>
    </form>`;
  return pageDocument(logout.question, content);
}

export function loggedOutPage(): Html {
  return messagePage(texts.logout.done, texts.logout.doneLead);
}

export function stillSignedInPage(): Html {
  return messagePage(texts.logout.stays, texts.logout.staysLead);
}

/** Seconds that applications have to hear of the logout before the browser goes on. */
const patience = 3;

/** Tells applications by frames (OpenID Connect Front-Channel Logout 3), then goes on; the link does so at once. */
export function leavingPage(frames: readonly string[], next: string): Html {
  const { leaving, leavingLead, continue: label } = texts.logout;
  const content = html`<p class="soft" role="status">${leavingLead}</p>
    <p><a class="button" href="${next}">${label}</a></p>
    ${frames.map((address) => html`<iframe src="${address}" title="" aria-hidden="true"></iframe>`)}`;
  return pageDocument(leaving, content, html`<meta http-equiv="refresh" content="${patience};url=${next}" />`);
}
