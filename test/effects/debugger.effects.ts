import { connect } from 'node:net';
import type { EffectRow } from './effect-row.ts';
import { inServer, ports } from './effect-server.ts';
import { freePort } from '../helpers/free-port.ts';

const [one, two, three, four] = [await freePort(), await freePort(), await freePort(), await freePort()];

/** Started to be debugged, with the other of its two ports free. */
const debugged = (other: string): string =>
  `${ports.replace('[mediation]\n', `[mediation]\n${other} = 0\n`)}[system.parameter]\n"esb.debug" = "true"\n`;

/** Which of two ports somebody can connect to while a server runs. */
async function openPorts(text: string, candidates: readonly number[]): Promise<readonly boolean[]> {
  return await inServer(text, {}, () => Promise.all(candidates.map(isOpen)));
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** The ports of the debugger. */
export const rows: readonly EffectRow[] = [
  {
    key: 'mediation.synapse.command_debugger_port',
    first: one,
    second: two,
    given: debugged('synapse.event_debugger_port'),
    observe: (_, text) => openPorts(text, [one, two]),
  },
  {
    key: 'mediation.synapse.event_debugger_port',
    first: three,
    second: four,
    given: debugged('synapse.command_debugger_port'),
    observe: (_, text) => openPorts(text, [three, four]),
  },
];
