import type { CompiledApi } from '#api';
import type { Deployer, World } from '#artifacts';
import type { CompiledInbound } from '#inbound';
import type { Advice } from '#mediation';
import { answerCommand } from './commands.ts';
import { writeComponent, type DebuggedArtifacts } from './component.ts';
import { openDebuggerPorts, type DebuggerPorts } from './ports.ts';
import { createSuspension, type DebugEvent } from './suspension.ts';

/** The debugger of mediation (mediators 18). */
export interface MediationDebugger {
  /** Stands around every mediator of the worlds that are debugged. */
  readonly advice: Advice;
  /** Opens the ports; points are in the world in which new messages begin. @throws MillraceError when a port is taken */
  open(
    ports: { readonly command: number; readonly event: number },
    deployer: Pick<Deployer, 'current' | 'onDeployed'>,
  ): Promise<DebuggerPorts>;
}

/** Makes a debugger; without a client on its ports it holds nobody. */
export function createMediationDebugger(maxBodyBytes: number): MediationDebugger {
  let tell: (event: DebugEvent) => void = () => undefined;
  const suspension = createSuspension(maxBodyBytes, (event) => tell(event));
  return {
    advice: suspension.advice,
    async open({ command, event }, deployer) {
      const artifacts = artifactsOf(() => deployer.current);
      const opened = await openDebuggerPorts({
        command,
        event,
        answer: (line) => answerCommand(line, { suspension, artifacts }),
        gone: () => suspension.clear(),
      });
      tell = (told) => {
        opened.tell('place' in told ? { event: told.event, ...writeComponent(told.place, artifacts) } : told);
      };
      deployer.onDeployed(() => tell({ event: 'configuration updated' }));
      return {
        ...opened.ports,
        async [Symbol.asyncDispose]() {
          suspension.clear();
          await opened.ports[Symbol.asyncDispose]();
        },
      };
    },
  };
}

function artifactsOf(world: () => World): DebuggedArtifacts {
  const resourcesOf = (api: string): CompiledApi['resources'] =>
    (world().ofKind('api').get(api) as CompiledApi | undefined)?.resources ?? [];
  return {
    has: (key) => world().artifacts.has(key),
    resource(api, method, mapping) {
      const wanted = method.toUpperCase();
      const index = resourcesOf(api).findIndex(({ pattern, definition: { methods } }) => {
        if (pattern !== mapping && !(mapping === '/' && pattern === '')) return false;
        return wanted === '' || !methods || wanted.split(/[\s,]+/).every((each) => methods.includes(each));
      });
      return index < 0 ? undefined : index;
    },
    inboundSequence(endpoint, sequence) {
      const found = world().ofKind('inboundEndpoint').get(endpoint) as CompiledInbound | undefined;
      return sequence === 'inbound_seq' ? found?.definition.sequence : found?.definition.onError;
    },
    describe(api, index) {
      const resource = resourcesOf(api)[index];
      return { mapping: resource?.pattern ?? '', method: resource?.definition.methods?.join(' ') ?? '' };
    },
  };
}
