import { html, type Html } from '#rest';

/**
 * The field for the name of a user: browsers fill it in, and do not correct it.
 *
 * @param attributes what else stands in its tag, such as `autofocus`
 */
export function usernameField(label: string, value: string, attributes: Html | string): Html {
  return html`<div class="field">
    <label for="username">${label}</label>
    <input
      id="username"
      name="username"
      type="text"
      value="${value}"
      autocomplete="username"
      autocapitalize="none"
      autocorrect="off"
      spellcheck="false"
      required${attributes}
    />
  </div>`;
}
