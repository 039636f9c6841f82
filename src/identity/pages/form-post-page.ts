import { html, type Html } from '#rest';
import { pageDocument, pagesPath } from './page.ts';
import { texts } from './texts.ts';

/** A form that sends itself to the client (OAuth 2.0 Form Post Response Mode 2), with a button where scripts are off. */
export function formPostPage(target: string, fields: readonly (readonly [name: string, value: string])[]): Html {
  const { title, lead, submit } = texts.formPost;
  const content = html`<p class="soft">${lead}</p>
    <form method="post" action="${target}">
      ${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <button>${submit}</button>
    </form>`;
  return pageDocument(title, content, html`<script src="${pagesPath}/form-post.js" defer></script>`);
}

/** Script of that page; inline it would need a hole in the policy. */
export const formPostScript = `'use strict';\ndocument.forms[0].submit();\n`;
