import type { Endpoint } from '../http/endpoint.ts';
import { readParameters } from '../http/parameters.ts';
import { formPostScript } from './form-post-page.ts';
import { endedPage, errorPage } from './message-pages.ts';
import { pageAnswer, pagesPath } from './page.ts';
import { styleSheet } from './style.ts';

/** Pages that ask nothing, and what all pages load. */
export function pageEndpoints(): readonly Endpoint[] {
  return [
    {
      path: `${pagesPath}/oauth2_error.do`,
      methods: ['GET'],
      handle: ({ query }) => pageAnswer(errorPage(readParameters(query).get('oauthErrorCode') ?? ''), { status: 400 }),
    },
    { path: `${pagesPath}/retry.do`, methods: ['GET'], handle: () => pageAnswer(endedPage(), { status: 400 }) },
    file('pages.css', 'text/css', styleSheet),
    file('form-post.js', 'text/javascript', formPostScript),
  ];
}

function file(name: string, type: string, body: string): Endpoint {
  const headers = [
    'Content-Type',
    `${type}; charset=utf-8`,
    'Cache-Control',
    'public, max-age=3600',
    'X-Content-Type-Options',
    'nosniff',
  ];
  return { path: `${pagesPath}/${name}`, methods: ['GET'], handle: () => ({ status: 200, headers, body }) };
}
