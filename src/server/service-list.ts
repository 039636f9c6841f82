import type { World } from '#artifacts';
import { html, pageHeaders, type Html } from '#rest';
import type { RequestHandler } from '#transport';

export interface ServiceListOptions {
  /** True answers 403 instead of the list. */
  readonly isBlocked: boolean;
  world(): World;
}

const paths: ReadonlySet<string> = new Set(['/services', '/services/']);

/** Answers `GET /services/`: the list of proxy services, or 403 where it is blocked (`http.block_service_list`). */
export function serveServiceList(handler: RequestHandler, options: ServiceListOptions): RequestHandler {
  const refused = Buffer.from('The list of services is blocked');
  return (request, responder) => {
    const isList = request.method === 'GET' && paths.has(request.target);
    if (!isList) {
      handler(request, responder);
      return;
    }
    request.body?.cancel();
    if (options.isBlocked) responder.respond({ status: 403, headers: ['Content-Type', 'text/plain'] }, refused);
    else {
      const names = [...options.world().ofKind('proxy').keys()];
      const body = Buffer.from(listPage(names).toString());
      const headers = Object.entries(pageHeaders()).flat();
      responder.respond({ status: 200, headers: ['Content-Type', 'text/html; charset=utf-8', ...headers] }, body);
    }
  };
}

function listPage(names: readonly string[]): Html {
  const items = names.map((name) => html`<li><a href="/services/${name}">${name}</a></li>`);
  const list =
    names.length === 0
      ? html`<p>No proxy service is deployed.</p>`
      : html`<ul>
          ${items}
        </ul>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Services</title>
      </head>
      <body>
        <h1>Services</h1>
        ${list}
      </body>
    </html>`;
}
