import { html, type Html } from '#rest';
import { describedByProblem, pageDocument, problemNote } from './page.ts';
import { texts } from './texts.ts';

export interface DevicePage {
  readonly action: string;
  readonly token: string;
  readonly userCode: string;
  readonly problem: string | undefined;
}

/** Asks for the code that a device shows (RFC 8628 §3.3). */
export function devicePage({ action, token, userCode, problem }: DevicePage): Html {
  const { device } = texts;
  const content = html`<p class="soft">${device.lead}</p>
    ${problemNote(problem)}
    <form method="post" action="${action}">
      <input type="hidden" name="formToken" value="${token}" />
      <div class="field code">
        <label for="user_code">${device.code}</label>
        <input
          id="user_code"
          name="user_code"
          type="text"
          value="${userCode}"
          autocomplete="one-time-code"
          autocapitalize="characters"
          autocorrect="off"
          spellcheck="false"
          maxlength="20"
          required
          autofocus${describedByProblem(problem)}
        />
      </div>
      <button>${device.submit}</button>
    </form>`;
  return pageDocument(device.title, content);
}
