import { html, type Html } from '#rest';
import { describedByProblem } from './page.ts';

export interface CodeField {
  /** Name and id of the field. */
  readonly name: string;
  readonly label: string;
  /** What is wrong with the code of the last try. */
  readonly problem: string | undefined;
  /** What else stands in its tag, such as `maxlength`. */
  readonly attributes: Html;
}

/** The field for a code that another device shows or a message brings; it has the focus. */
export function codeField({ name, label, problem, attributes }: CodeField): Html {
  return html`<div class="field code">
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="text"
      autocomplete="one-time-code"
      ${attributes}
      required
      autofocus${describedByProblem(problem)}
    />
  </div>`;
}
