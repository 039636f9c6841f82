import { arch, release, type } from 'node:os';
import process from 'node:process';
import { defineOperation, pick, type Operation } from '#rest';
import { anyObject, message, refusal, requiredText } from '../conventions.ts';
import type { ManagedRuntime } from '../runtime.ts';

const ends = {
  shutdown: { graceful: false, restart: false },
  shutdownGracefully: { graceful: true, restart: false },
  restart: { graceful: false, restart: true },
  restartGracefully: { graceful: true, restart: true },
} as const;

/** `/server` (management 1.7), and the API's own root. */
export function serverOperations(runtime: ManagedRuntime): readonly Operation[] {
  const { home, version, control, disabledActions } = runtime;
  return [
    defineOperation({
      id: 'getServer',
      method: 'GET',
      path: '/server',
      summary: 'The product, its version and the machine',
      responses: { 200: { description: 'Facts of this node' } },
      scope: 'read',
      handle: () => ({
        productName: 'Millrace',
        productVersion: version,
        carbonHome: home.directory,
        // What runs the server stands in for the original's Java virtual machine.
        javaHome: process.execPath,
        javaVersion: process.version,
        javaVendor: 'Node.js',
        osName: type(),
        osVersion: `${release()} ${arch()}`,
        // A console does not offer what is refused.
        ...(disabledActions.length > 0 && { disabledActions: disabledActions.join(' ') }),
      }),
    }),
    defineOperation({
      id: 'changeServer',
      method: 'PATCH',
      path: '/server',
      summary: 'Ends or restarts the server, gracefully or at once',
      body: anyObject,
      responses: { 200: { description: 'It has begun' } },
      scope: 'write',
      audited: ({ body }) => ({ action: 'triggered', type: 'server', info: pick(body, 'status') }),
      handle({ body }) {
        const status = requiredText(body, 'status');
        const how = Object.entries(ends).find(([name]) => name.toLowerCase() === status.toLowerCase())?.[1];
        if (!how) throw refusal(400, `"status" must be one of ${Object.keys(ends).join(', ')}; found "${status}"`);
        const action = how.restart ? 'restart' : 'shutdown';
        if (disabledActions.includes(action))
          throw refusal(403, `The configuration disables this: disable_${action}_from_ui in [server]`);
        if (!control) throw refusal(500, 'This process cannot be ended from inside');
        // The answer goes out first.
        setTimeout(() => control.end(how), 100);
        return message(`The server ${how.restart ? 'restarts' : 'shuts down'}${how.graceful ? ' gracefully' : ''}`);
      },
    }),
    defineOperation({
      id: 'getRoot',
      method: 'GET',
      path: '',
      summary: 'That the API is there',
      responses: { 200: { description: 'The version' } },
      public: true,
      handle: () => ({ Millrace: version, 'WSO2 Micro Integrator': version, ManagementApi: 'Active' }),
    }),
  ];
}
