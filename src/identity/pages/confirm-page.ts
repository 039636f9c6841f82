import { html, type Html } from '#rest';
import { pageDocument } from './page.ts';

export interface ConfirmPage {
  readonly title: string;
  readonly lead: string;
  readonly submit: string;
  readonly action: string;
  /** What the form sends, by the names of its fields. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A page whose one button does what an address in a mail is for. */
export function confirmPage({ title, lead, submit, action, fields }: ConfirmPage): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  const content = html`<p class="soft">${lead}</p>
    <form method="post" action="${action}">
      ${hidden}
      <button>${submit}</button>
    </form>`;
  return pageDocument(title, content);
}
