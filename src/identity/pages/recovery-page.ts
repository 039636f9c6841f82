import { html, type Html } from '#rest';
import { codeField } from './code-field.ts';
import { describedByProblem, pageDocument, problemNote } from './page.ts';
import { texts } from './texts.ts';
import { usernameField } from './username-field.ts';

/** What every form of account recovery has. */
export interface RecoveryForm {
  /** Path of the form's target. */
  readonly action: string;
  readonly token: string;
  readonly problem: string | undefined;
}

export interface RecoveryStartPage extends RecoveryForm {
  readonly username: string;
  /** What a user name has to look like; undefined for anything. */
  readonly pattern: RegExp | undefined;
}

/**
 * The attribute `pattern` of a field for values that `pattern` matches somewhere, or that begin with `prefix`, which
 * are left to the server. Browsers match the whole value and read the pattern with the flag `v`: what that does not
 * allow is left to the server too.
 */
function patternAttribute(pattern: RegExp | undefined, prefix = ''): Html | string {
  if (!pattern) return '';
  const whole = `${prefix}(?=.*?(?:${pattern.source})).*`;
  try {
    return html` pattern="${new RegExp(whole, 'v').source}"`;
  } catch {
    return '';
  }
}

/** Asks who it is and how the code shall come. */
export function recoveryStartPage({ action, token, problem, username, pattern }: RecoveryStartPage): Html {
  const { recovery } = texts;
  const content = html`<p class="soft">${recovery.lead}</p>
    ${problemNote(problem)}
    <form method="post" action="${action}">
      <input type="hidden" name="formToken" value="${token}" />
      ${usernameField(
        recovery.username,
        username,
        html`${patternAttribute(pattern, '[^\\/]+\\/.*|')} autofocus${describedByProblem(problem)}`,
      )}
      <fieldset>
        <legend>${recovery.channel}</legend>
        <div class="choice">
          <input id="mail" name="channel" type="radio" value="EMAIL" checked />
          <label for="mail">${recovery.mail}</label>
        </div>
        <div class="choice">
          <input id="message" name="channel" type="radio" value="SMS" />
          <label for="message">${recovery.message}</label>
        </div>
      </fieldset>
      <button>${recovery.submit}</button>
    </form>`;
  return pageDocument(recovery.title, content);
}

export interface RecoveryCodePage extends RecoveryForm {
  readonly flow: string;
  readonly resendCode: string;
  /** Path of the form that has another code sent. */
  readonly again: string;
  /** Path of the first page. */
  readonly start: string;
}

/** Asks for the code of the text message. */
export function recoveryCodePage(page: RecoveryCodePage): Html {
  const { recovery } = texts;
  const { action, token, problem, flow, resendCode, again, start } = page;
  const content = html`<p class="soft">${recovery.codeLead}</p>
    ${problemNote(problem)}
    <form method="post" action="${action}">
      <input type="hidden" name="formToken" value="${token}" />
      <input type="hidden" name="flow" value="${flow}" />
      <input type="hidden" name="resendCode" value="${resendCode}" />
      ${codeField({ name: 'otp', label: recovery.code, problem, attributes: html`inputmode="numeric" maxlength="12"` })}
      <button>${recovery.codeSubmit}</button>
    </form>
    <form method="post" action="${again}">
      <input type="hidden" name="formToken" value="${token}" />
      <input type="hidden" name="resendCode" value="${resendCode}" />
      <button class="second">${recovery.again}</button>
    </form>
    <p class="small"><a href="${start}">${recovery.startOver}</a></p>`;
  return pageDocument(recovery.codeTitle, content);
}

export interface RecoveryPasswordPage extends RecoveryForm {
  readonly code: string;
  /** What the code is: the one of a mail, or the one that a one-time code was changed for. */
  readonly use: 'confirm' | 'reset';
  /** What a new password has to look like; undefined for anything. */
  readonly pattern: RegExp | undefined;
}

/** Asks for the new password. */
export function recoveryPasswordPage({ action, token, problem, code, use, pattern }: RecoveryPasswordPage): Html {
  const { recovery } = texts;
  const field = (id: string, label: string, focus: string): Html =>
    html`<div class="field">
      <label for="${id}">${label}</label>
      <input
        id="${id}"
        name="${id}"
        type="password"
        autocomplete="new-password"
        required${patternAttribute(pattern)}${describedByProblem(problem)}${focus}
      />
    </div>`;
  const content = html`${problemNote(problem)}
    <form method="post" action="${action}">
      <input type="hidden" name="formToken" value="${token}" />
      <input type="hidden" name="use" value="${use}" />
      <input type="hidden" name="code" value="${code}" />
      ${field('password', recovery.password, ' autofocus')}${field('repeat', recovery.repeat, '')}
      <button>${recovery.passwordSubmit}</button>
    </form>`;
  return pageDocument(recovery.title, content);
}
