import type { World } from '#artifacts';
import { serviceAddress, type CompiledProxy } from '#proxy';
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
      const services = [...(options.world().ofKind('proxy').values() as Iterable<CompiledProxy>)];
      const listed = services.filter(({ definition: { transports, behaviour } }) => {
        return (transports?.includes(request.scheme) ?? true) && !behaviour.inboundOnly;
      });
      const body = Buffer.from(listPage(listed).toString());
      const headers = Object.entries(pageHeaders()).flat();
      responder.respond({ status: 200, headers: ['Content-Type', 'text/html; charset=utf-8', ...headers] }, body);
    }
  };
}

function listPage(services: readonly CompiledProxy[]): Html {
  const items = services.map((service) => itemOf(service));
  const list =
    items.length === 0
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

/** The name of a service and links to its descriptions; one that does not run has none. */
function itemOf({ definition: { name }, active }: CompiledProxy): Html {
  if (!active) return html`<li>${name} (inactive)</li>`;
  const address = serviceAddress('', name);
  return html`<li>
    ${name}: <a href="${`${address}?wsdl`}">WSDL 1.1</a>, <a href="${`${address}?wsdl2`}">WSDL 2.0</a>
  </li>`;
}
