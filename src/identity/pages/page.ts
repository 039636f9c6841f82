import { html, pageHeaders, type Html } from '#rest';
import type { HeaderList } from '#message';
import type { EndpointAnswer } from '../http/endpoint.ts';
import { texts } from './texts.ts';

/** Folder of the pages and of what they load (identity 1.1). */
export const pagesPath = '/authenticationendpoint';

/** Folder of the pages of account recovery (identity 5.6). */
export const recoveryPath = '/accountrecoveryendpoint';

/** A whole document around the content of `main`. */
export function pageDocument(title: string, content: Html, head?: Html): Html {
  return html`<html lang="${texts.language}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex" />
      <title>${title}</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href="${pagesPath}/pages.css" />
      ${head}
    </head>
    <body>
      <main>
        <h1>${title}</h1>
        ${content}
      </main>
    </body>
  </html>`;
}

export interface PageAnswerOptions {
  readonly status?: number;
  /** Origins to which forms of the page lead in the end: browsers check every redirect that follows a form. */
  readonly formTargets?: readonly string[];
  /** Origins that the page shows in frames. */
  readonly frames?: readonly string[];
  readonly headers?: HeaderList;
}

/** Answers with a page that no other site can frame, with nothing from elsewhere (I9, I16). */
export function pageAnswer(document: Html, options: PageAnswerOptions = {}): EndpointAnswer {
  const { status = 200, formTargets = [], frames = [], headers = [] } = options;
  const given = pageHeaders(formTargets);
  const policy = given['Content-Security-Policy'] ?? '';
  return {
    status,
    headers: [
      ...Object.entries({
        ...given,
        ...(frames.length > 0 && { 'Content-Security-Policy': `${policy}; frame-src ${frames.join(' ')}` }),
        'Content-Type': 'text/html; charset=utf-8',
      }).flat(),
      ...headers,
    ],
    body: `<!doctype html>\n${document.toString()}`,
  };
}

/** What was wrong with the last try, above a form; fields refer to it by `describedByProblem`. */
export function problemNote(problem: string | undefined): Html | undefined {
  return problem === undefined ? undefined : html`<p class="wrong" role="alert" id="problem">${problem}</p>`;
}

/** The attribute of a field that what was wrong is about. */
export function describedByProblem(problem: string | undefined): Html | string {
  return problem === undefined ? '' : html` aria-describedby="problem"`;
}
