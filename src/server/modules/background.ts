import { defineModule } from '#core';
import type { ServerContext } from '../context.ts';
import { trafficRoles } from '../roles.ts';

/** Artifacts that run by themselves: tasks and message processors. */
export const background = defineModule<ServerContext>({
  name: 'background',
  roles: trafficRoles,
  needs: ['runtime'],
  start({ deployer }) {
    deployer.goLive();
    return {
      drain: () => deployer.rest(),
      [Symbol.asyncDispose]: () => deployer.rest(),
    };
  },
});
