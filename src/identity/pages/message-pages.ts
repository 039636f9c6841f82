import { html, type Html } from '#rest';
import { pageDocument } from './page.ts';
import { errorTexts, fill, texts } from './texts.ts';

/** A page that only says something. */
export function messagePage(title: string, lead: string): Html {
  return pageDocument(title, html`<p class="soft">${lead}</p>`);
}

/**
 * The page of an error. What the address says besides a known code is not shown: anybody can write an address that
 * leads here. `message` is for pages that stand in place of such an address.
 */
export function errorPage(code: string, message?: string): Html {
  const known = Object.hasOwn(errorTexts, code) ? code : 'invalid_request';
  const { title, advice, code: label } = texts.error;
  const content = html`<p>${errorTexts[known]}</p>
    ${message === undefined ? undefined : html`<p class="wrong">${message}</p>`}
    <p class="soft">${advice}</p>
    <p class="soft small">${fill(label, { code: known })}</p>`;
  return pageDocument(title, content);
}

/** The page for a form that can no longer be sent. */
export function endedPage(): Html {
  return messagePage(texts.error.ended, texts.error.endedLead);
}
