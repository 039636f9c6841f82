import type { HandlerDefinition } from '#api';
import { getLogger } from '#core';
import {
  createFlowHandlers,
  liveWith,
  resolveExtension,
  setProperties,
  type CompileContext,
  type FlowHandler,
  type FlowHandlers,
} from '#mediation';
import { serializeXml } from '#xml';

const log = getLogger('inbound');

/** What a handler of one endpoint may see: requests as they come in, and answers as they go. */
const methods = ['handleRequestInFlow', 'handleResponseOutFlow'] as const;

/** Makes the `<handlers>` of an endpoint. @throws ProblemsError for a class that nothing stands in for */
export function compileHandlers(
  definitions: readonly HandlerDefinition[],
  context: CompileContext,
): FlowHandlers | undefined {
  if (definitions.length === 0) return undefined;
  const handlers = definitions.map((definition, index) => {
    const at = context.at(`handler:${index}`);
    return { name: definition.className, handler: compileHandler(definition, at) };
  });
  return createFlowHandlers(handlers, context.services.settings.maxBodyBytes);
}

function compileHandler({ className, position, properties }: HandlerDefinition, context: CompileContext): FlowHandler {
  const named = { className, position, kind: 'handler of inbound endpoints', methods };
  const handler = resolveExtension(named, context.services.extensions)() as FlowHandler;
  setProperties(
    named,
    handler,
    properties.map(({ name, value, content }) => ({ name, value: content ? serializeXml(content) : value })),
  );
  const { id, library } = context;
  const ready = liveWith(library.lifecycle, handler, { id, position, log });
  const running: FlowHandler = { needsBody: handler.needsBody === true };
  for (const method of methods) {
    if (handler[method] === undefined) continue;
    running[method] = async (message) => {
      await ready();
      return (await handler[method]?.(message)) !== false;
    };
  }
  return running;
}
