import { html, type Html } from '#rest';
import { pageDocument } from './page.ts';
import { fill, texts } from './texts.ts';

export interface ConsentPage {
  readonly application: string;
  readonly user: string;
  readonly isForDevice: boolean;
  readonly scopes: readonly { readonly name: string; readonly description: string }[];
  /** Where the browser goes afterwards, as the user should recognise it; undefined for a device. */
  readonly returnsTo: string | undefined;
  readonly action: string;
  readonly sessionDataKeyConsent: string;
  readonly token: string;
}

/** Asks whether an application may have what it wants (identity 2.2). */
export function consentPage(page: ConsentPage): Html {
  const { consent } = texts;
  const { application, user, isForDevice, scopes, returnsTo } = page;
  const items = scopes.length === 0 ? [{ name: '', description: consent.nothing }] : scopes;
  const content = html`<p>${fill(isForDevice ? consent.leadDevice : consent.lead, { application })}</p>
    <ul class="list">
      ${items.map(
        ({ name, description }) =>
          html`<li>
            ${description}${name === description || name === '' ? '' : html` <span class="name">${name}</span>`}
          </li>`,
      )}
    </ul>
    <p class="soft small">
      ${fill(consent.signedInAs, { user })}${
        returnsTo === undefined ? '' : ` ${fill(consent.returnsTo, { address: returnsTo })}`
      }
    </p>
    <form method="post" action="${page.action}">
      <input type="hidden" name="sessionDataKeyConsent" value="${page.sessionDataKeyConsent}" />
      <input type="hidden" name="formToken" value="${page.token}" />
      ${isForDevice ? undefined : rememberChoice(application)}
      <div class="buttons">
        <button name="consent" value="approve">${consent.approve}</button>
        <button name="consent" value="deny" class="second">${consent.deny}</button>
      </div>
    </form>`;
  return pageDocument(consent.title, content);
}

function rememberChoice(application: string): Html {
  return html`<div class="choice">
    <input id="hasApprovedAlways" name="hasApprovedAlways" type="checkbox" value="on" />
    <label for="hasApprovedAlways">${fill(texts.consent.remember, { application })}</label>
  </div>`;
}
