import { defineModule } from '#core';
import type { ServerContext } from '../context.ts';
import { trafficRoles } from '../roles.ts';

/** Artifacts that run by themselves: tasks, message processors and inbound endpoints. */
export const background = defineModule<ServerContext>({
  name: 'background',
  roles: trafficRoles,
  needs: ['runtime'],
  async start({ deployer }) {
    await deployer.goLive();
    return {
      drain: () => deployer.rest(),
      [Symbol.asyncDispose]: () => deployer.rest(),
    };
  },
});
