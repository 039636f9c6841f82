import { html, type Html } from '#rest';
import { codeField } from './code-field.ts';
import { pageDocument, problemNote } from './page.ts';
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
  const attributes = html`value="${userCode}" autocapitalize="characters" autocorrect="off" spellcheck="false"
  maxlength="20"`;
  const content = html`<p class="soft">${device.lead}</p>
    ${problemNote(problem)}
    <form method="post" action="${action}">
      <input type="hidden" name="formToken" value="${token}" />
      ${codeField({ name: 'user_code', label: device.code, problem, attributes })}
      <button>${device.submit}</button>
    </form>`;
  return pageDocument(device.title, content);
}
