import { getLogger } from '#core';
import { messageOf, MillraceError } from '#errors';
import { isPinnedHere, type CompileContext } from '#mediation';
import type { Message } from '#message';
import type { HttpSender } from '#transport';
import type { ProxyDefinition } from './artifact.ts';
import { fetchDescription } from './fetch-description.ts';
import { loadDescription } from './load-description.ts';
import { behaviourOf, deployParameters } from './parameters.ts';
import { deployPublishWsdl } from './publish-wsdl.ts';
import { compileTarget, type CompiledTarget } from './target.ts';
import type { ServiceDescription } from './wsdl/description.ts';

const log = getLogger('proxy');

/** A proxy service ready to be dispatched to. */
export interface CompiledProxy {
  readonly definition: ProxyDefinition;
  readonly target: CompiledTarget;
  /** False for a service that was deployed but does not run; it refuses messages. */
  readonly active: boolean;
  /** What is known of the service; a promise while it must be fetched. @throws MillraceError when it cannot be */
  description(message: Message): ServiceDescription | Promise<ServiceDescription>;
  readonly maxBodyBytes: number;
  /** Sends answers that go elsewhere. */
  readonly sender: HttpSender;
}

/**
 * Compiles a proxy service (mediators 13).
 *
 * @throws MillraceError for a WSDL that cannot be read, unless `enablePublishWSDLSafeMode` is true
 */
export function compileProxy(written: ProxyDefinition, context: CompileContext): CompiledProxy {
  const definition = deployed(written, context.library);
  const { settings } = context.services;
  const { pinnedServers, startOnLoad, name } = definition;
  const isHere = isPinnedHere(pinnedServers, context.services.background);
  const isWanted = context.library.isSwitchedOn(context.id) ?? startOnLoad;
  const target = compileTarget(definition.target, context);
  const description = describeOrRefuse(definition, context);
  if (!isHere) log.info({ proxy: name, pinnedServers }, 'the proxy service is pinned to other servers');
  return {
    definition,
    target,
    active: isWanted && isHere && description !== undefined,
    description: description ?? notDescribed,
    maxBodyBytes: settings.maxBodyBytes,
    sender: context.services.sender,
  };
}

/** The definition with the values that its parameters and its source of a WSDL have in this deployment. */
function deployed(definition: ProxyDefinition, library: CompileContext['library']): ProxyDefinition {
  const parameters = deployParameters(definition.parameters, library);
  const { publishWsdl } = definition;
  return {
    ...definition,
    parameters,
    behaviour: behaviourOf(parameters),
    publishWsdl: publishWsdl && deployPublishWsdl(publishWsdl, library),
  };
}

function describeOrRefuse(
  definition: ProxyDefinition,
  context: CompileContext,
): CompiledProxy['description'] | undefined {
  const { name, behaviour } = definition;
  try {
    const loaded = loadDescription(definition, context.library);
    if ('remote' in loaded) return fetchDescription(loaded.remote, definition, context);
    const { here } = loaded;
    if (here.unresolved.length > 0) {
      log.warn({ proxy: name, locations: here.unresolved }, 'imports of the WSDL were not found and stay as they are');
    }
    return () => here;
  } catch (error) {
    const message = `The WSDL of the proxy service ${name} cannot be published: ${messageOf(error)}`;
    if (!behaviour.publishSafely) throw new MillraceError({ code: 'MR_PROXY_WSDL', message, cause: error });
    log.warn({ proxy: name, err: error }, 'the WSDL cannot be read; the service is inactive');
    return undefined;
  }
}

function notDescribed(): never {
  throw new MillraceError({ code: 'MR_PROXY_WSDL', message: 'The service has no WSDL' });
}
