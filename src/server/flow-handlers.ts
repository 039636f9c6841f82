import { synapseHandler, synapseHandlerParameter, topLevel, type Config } from '#config';
import { getLogger } from '#core';
import { MillraceError, messageOf } from '#errors';
import {
  createFlowHandlers,
  extensionLog,
  flowMethods,
  resolveExtension,
  type ExtensionPlace,
  type FlowHandler,
  type FlowHandlers,
} from '#mediation';

const log = getLogger('mediation');

/** Handlers of the original whose work is built in. */
const builtIn: Readonly<Record<string, string>> = {
  'org.wso2.micro.integrator.dataservices.odata.endpoint.ODataPassThroughHandler': 'data services have their own path',
  'org.wso2.micro.integrator.observability.metric.handler.MetricHandler': 'metrics are always measured',
};

/** The handlers around every message, started. */
export interface OpenFlowHandlers extends AsyncDisposable {
  readonly handlers: FlowHandlers | undefined;
}

/**
 * Makes and starts the handlers of `[synapse_handlers]`: those that `enabled_global_handlers` names, in that order, or
 * all that are not switched off.
 *
 * @throws ProblemsError for a class that nothing stands in for, MillraceError for a name without a handler or a handler
 *   that does not start
 */
export async function openFlowHandlers(
  config: Config,
  place: ExtensionPlace,
  maxBodyBytes: number,
): Promise<OpenFlowHandlers> {
  const opened: { name: string; handler: FlowHandler }[] = [];
  for (const { name, className, parameters, position } of wantedHandlers(config)) {
    const reason = Object.hasOwn(builtIn, className) ? builtIn[className] : undefined;
    if (reason !== undefined) {
      log.info({ handler: name, class: className, reason }, 'a handler is left out, because its work is built in');
      continue;
    }
    const named = { className, position, kind: 'handler', methods: flowMethods };
    const handler = resolveExtension(named, place)() as FlowHandler;
    const id = `handler:${name}`;
    try {
      await handler.init?.({ id, log: extensionLog(log, id), parameters });
    } catch (error) {
      const message = `the handler "${name}" did not start: ${messageOf(error)}`;
      throw new MillraceError({ code: 'MR_HANDLER_START', message, cause: error });
    }
    opened.push({ name, handler });
  }
  return {
    handlers: opened.length === 0 ? undefined : createFlowHandlers(opened, maxBodyBytes),
    async [Symbol.asyncDispose]() {
      for (const { name, handler } of opened.reverse()) {
        try {
          await handler.destroy?.();
        } catch (error) {
          log.error({ err: error, handler: name }, 'a handler did not stop');
        }
      }
    },
  };
}

interface WantedHandler {
  readonly name: string;
  readonly className: string;
  readonly position: ReturnType<Config['position']>;
  readonly parameters: Readonly<Record<string, string>>;
}

function wantedHandlers(config: Config): readonly WantedHandler[] {
  const declared = config.list(synapseHandler).flatMap((reader) => {
    const className = reader.get(synapseHandler.class);
    const name = reader.get(synapseHandler.name) ?? reader.name;
    if (className === undefined || name === undefined) return [];
    const parameters = Object.fromEntries(
      reader
        .list(synapseHandlerParameter)
        .map((parameter) => [
          parameter.get(synapseHandlerParameter.name) ?? '',
          parameter.get(synapseHandlerParameter.value) ?? '',
        ]),
    );
    const isEnabled = reader.get(synapseHandler.enabled) !== false;
    return [{ name, className, parameters, isEnabled, position: reader.position(synapseHandler.class) }];
  });
  const chosen = config.get(topLevel.enabledGlobalHandlers);
  if (!chosen) return declared.filter(({ isEnabled }) => isEnabled);
  return chosen.map((name) => {
    const found = declared.find((handler) => handler.name === name);
    if (found) return found;
    const known = declared.map((handler) => `"${handler.name}"`).join(', ');
    throw new MillraceError({
      code: 'MR_HANDLER_UNKNOWN',
      message: `enabled_global_handlers names "${name}", which no [synapse_handlers] has; there ${known === '' ? 'are none' : `are ${known}`}`,
    });
  });
}
