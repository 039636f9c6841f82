import { ProblemsError, type Position } from '#errors';
import { resolveExtension, type CompileContext } from '#mediation';
import type { InboundDefinition } from '../definition.ts';
import type { ResolvedParameters } from '../parameters.ts';
import { readFrameClasses } from './socket-parameters.ts';
import type { PipelineHandler, SubprotocolHandler } from './types.ts';

/** Modules that take frames before they are messages. */
export interface FrameModules {
  /** By the subprotocol that each speaks. */
  readonly subprotocols: ReadonlyMap<string, SubprotocolHandler>;
  readonly pipeline: PipelineHandler | undefined;
}

/** Finds the modules that an endpoint names. @throws ProblemsError for a class that nothing stands in for */
export function compileFrameModules(
  { parameters }: InboundDefinition,
  resolved: ResolvedParameters,
  { services }: CompileContext,
): FrameModules {
  const positionOf = (name: string): Position | undefined =>
    parameters.find((parameter) => parameter.name === name)?.position;
  const classes = readFrameClasses(resolved);
  const subprotocols = new Map<string, SubprotocolHandler>();
  const position = positionOf('ws.subprotocol.handler.class');
  for (const className of classes.subprotocols) {
    const named = { className, position, kind: 'subprotocol handler', methods: ['handle'] };
    const handler = resolveExtension(named, services.extensions)() as Partial<SubprotocolHandler>;
    const identifier = handler.getSubprotocolIdentifier?.();
    if (typeof identifier !== 'string' || identifier === '') {
      const message = `the subprotocol handler "${className}" must have the method "getSubprotocolIdentifier" that gives the name of its subprotocol`;
      throw new ProblemsError([
        { code: 'MR_CLASS_SHAPE', severity: 'error', message, ...(position ? { position } : {}) },
      ]);
    }
    subprotocols.set(identifier, handler as SubprotocolHandler);
  }
  return { subprotocols, pipeline: findPipeline(classes.pipeline) };

  function findPipeline(className: string | undefined): PipelineHandler | undefined {
    if (className === undefined) return undefined;
    const at = positionOf('ws.pipeline.handler.class');
    const named = { className, position: at, kind: 'pipeline handler', methods: ['handleFrame'] };
    return resolveExtension(named, services.extensions)() as PipelineHandler;
  }
}
