import { html, type Html } from '#rest';
import { describedByProblem, pageDocument, problemNote } from './page.ts';
import { fill, texts } from './texts.ts';
import { usernameField } from './username-field.ts';

export interface LoginPage {
  readonly application: string;
  readonly isForDevice: boolean;
  /** Path of the form's target. */
  readonly action: string;
  readonly sessionDataKey: string;
  readonly token: string;
  readonly username: string;
  /** What went wrong with the attempt before. */
  readonly problem: string | undefined;
  /** Path of the page for who forgot the password; undefined where there is none. */
  readonly recovery: string | undefined;
}

/** The form that asks for a name and a password (identity 2.2). */
export function loginPage(page: LoginPage): Html {
  const { login } = texts;
  const { application, isForDevice, action, sessionDataKey, token, username, problem, recovery } = page;
  const isFilled = username !== '';
  // The first empty field has the focus; after a failure that is the password, whose name is kept.
  const content = html`<p class="soft">${fill(isForDevice ? login.leadDevice : login.lead, { application })}</p>
    ${problemNote(problem)}
    <form method="post" action="${action}">
      <input type="hidden" name="sessionDataKey" value="${sessionDataKey}" />
      <input type="hidden" name="formToken" value="${token}" />
      ${usernameField(login.username, username, autofocus(!isFilled))}
      <div class="field">
        <label for="password">${login.password}</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required${describedByProblem(problem)}${autofocus(isFilled)}
        />
      </div>
      <div class="choice">
        <input id="chkRemember" name="chkRemember" type="checkbox" value="on" />
        <label for="chkRemember">${login.remember}</label>
      </div>
      <button>${login.submit}</button>
    </form>
    ${recovery === undefined ? undefined : html`<p class="small"><a href="${recovery}">${login.forgotten}</a></p>`}`;
  return pageDocument(login.title, content);
}

function autofocus(is: boolean): string {
  return is ? ' autofocus' : '';
}
