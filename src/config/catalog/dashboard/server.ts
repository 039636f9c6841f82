import { defineSection, key } from '../define.ts';
import { integer, port } from '../types.ts';

export const dashboardServerConfig = defineSection({
  path: 'server_config',
  file: 'dashboard',
  doc: 'The web server of the dashboard.',
  keys: {
    port: key('port', port(), {
      required: true,
      default: 9743,
      doc: 'Port of the dashboard web server.',
      effect: 'port of the HTTPS listener.',
    }),
  },
});

export const dashboardHeartbeatConfig = defineSection({
  path: 'heartbeat_config',
  file: 'dashboard',
  doc: 'Receiving of heartbeats.',
  keys: {
    poolSize: key('pool_size', integer({ min: 0 }), {
      required: true,
      default: 15,
      doc: 'Threads that handle incoming runtime requests.',
      mapped:
        'concurrency limit of the queue of "fetch artifacts of a runtime" jobs started by heartbeats (one limiter per runtime kind, FIFO, unbounded queue); the heartbeat request itself is answered at once.',
    }),
  },
});
