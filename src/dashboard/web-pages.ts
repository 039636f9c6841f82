import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getLogger } from '#core';
import { toError } from '#errors';
import { createStaticFiles, html, pageHeaders, pageResponse, textResponse, type FetchHandler } from '#rest';

const log = getLogger('dashboard');

/**
 * The console's pages: files below `/assets`, and for every other path the one page whose script draws it.
 *
 * @param open gives the folder of the built console; asked when the first page is, so that a start does not wait for it
 */
export function webPages(open: () => Promise<string>): FetchHandler {
  let opened: Promise<string> | undefined;
  const folder = (): Promise<string> => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } });
    }
    try {
      const root = await folder();
      const { pathname } = new URL(request.url);
      if (!pathname.startsWith('/assets/')) return await indexPage(root);
      const files = createStaticFiles(join(root, 'assets'), {
        prefix: '/assets',
        cacheControl: 'public, max-age=31536000, immutable',
      });
      return (await files(request)) ?? textResponse('There is no such file.', { status: 404, type: 'text/plain' });
    } catch (error) {
      log.error({ err: toError(error) }, 'the console cannot be shown');
      return pageResponse(
        html`<title>Millrace</title>
          <p>The console cannot be shown; the log says why.</p>`,
        { status: 500 },
      );
    }
  };
}

async function indexPage(root: string): Promise<Response> {
  const page = await readFile(join(root, 'index.html'), 'utf8');
  return textResponse(page, { type: 'text/html; charset=utf-8', headers: pageHeaders() });
}
