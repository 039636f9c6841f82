import { mediation } from '#config';
import { defineModule } from '#core';
import type { ServerContext } from '../context.ts';
import { trafficRoles } from '../roles.ts';

/** The two ports of the debugger; they are there only when the server was started to be debugged. */
export const debuggerPorts = defineModule<ServerContext>({
  name: 'debugger',
  roles: trafficRoles,
  needs: [],
  async start({ config, deployer, debugger: mediationDebugger }) {
    if (!mediationDebugger) return { [Symbol.asyncDispose]: () => Promise.resolve() };
    const { synapseCommandDebuggerPort, synapseEventDebuggerPort } = mediation;
    const ports = { command: config.get(synapseCommandDebuggerPort), event: config.get(synapseEventDebuggerPort) };
    return mediationDebugger.open(ports, deployer);
  },
});
