import type { BrowseResult } from '#db';
import { html, type Html } from '#rest';
import { pageDocument, problemNote } from './page.ts';
import { fill, texts } from './texts.ts';
import { usernameField } from './username-field.ts';

/** Where the page is. */
export const sqlConsolePath = '/h2-console';

export interface SqlLogin {
  readonly token: string;
  readonly problem: string | undefined;
}

/** The form that asks an administrator for name and password. */
export function sqlLoginPage({ token, problem }: SqlLogin): Html {
  const { login, sql } = texts;
  return pageDocument(
    sql.title,
    html`<p class="soft">${sql.loginLead}</p>
      ${problemNote(problem)}
      <form method="post" action="${sqlConsolePath}">
        <input type="hidden" name="formToken" value="${token}" />
        ${usernameField(login.username, '', '')}
        <div class="field">
          <label for="password">${login.password}</label>
          <input id="password" name="password" type="password" autocomplete="current-password" required />
        </div>
        <button>${login.submit}</button>
      </form>`,
  );
}

export interface SqlPage {
  readonly token: string;
  readonly statement: string;
  readonly tables: readonly string[];
  readonly problem: string | undefined;
  readonly result: BrowseResult | undefined;
}

/** A field for a statement, the tables, and what the last statement gave. */
export function sqlPage({ token, statement, tables, problem, result }: SqlPage): Html {
  const { sql } = texts;
  const form = html`<form method="post" action="${sqlConsolePath}">
    <input type="hidden" name="formToken" value="${token}" />
    <div class="field">
      <label for="statement">${sql.statement}</label>
      <textarea id="statement" name="statement" rows="6" spellcheck="false" required>${statement}</textarea>
    </div>
    <button>${sql.run}</button>
  </form>`;
  const list = html`<h2>${sql.tables}</h2>
    <ul>
      ${tables.map((name) => html`<li><a href="${sqlConsolePath}?table=${encodeURIComponent(name)}">${name}</a></li> `)}
    </ul>`;
  return pageDocument(
    sql.title,
    html`<p class="soft">${sql.lead}</p>
      ${problemNote(problem)} ${form} ${result && resultTable(result)} ${list}`,
  );
}

function resultTable({ columns, rows, isCut }: BrowseResult): Html {
  const { sql } = texts;
  const count = fill(isCut ? sql.cut : sql.count, { rows: String(rows.length) });
  return html`<p role="status">${count}</p>
    <div class="scroll">
      <table>
        <thead>
          <tr>
            ${columns.map((name) => html`<th scope="col">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr>
                ${row.map((value) => html`<td>${value}</td>`)}
              </tr> `,
          )}
        </tbody>
      </table>
    </div>`;
}
