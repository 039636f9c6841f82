import { defineSection, key } from '../define.ts';
import { boolean, list, secret } from '../types.ts';

/** Keys of the dashboard itself; the original knows none of them. */
export const dashboardMillrace = defineSection({
  path: 'millrace',
  file: 'dashboard',
  doc: 'What the original has no key for.',
  keys: {
    bind: key('bind', list(), {
      additional: true,
      whenAbsent: 'all interfaces',
      doc: 'Addresses that the dashboard binds to.',
      effect: 'host of its listener.',
    }),
    heartbeatSecret: key('heartbeat_secret', secret(), {
      additional: true,
      doc: 'Secret that the heartbeats of trusted runtimes carry.',
      effect: 'a runtime that sends it is approved at once; others wait for an administrator.',
    }),
    trustUnknownNodes: key('trust_unknown_nodes', boolean(), {
      default: false,
      additional: true,
      doc: 'Trusts every runtime that reports, as the original does.',
      effect: 'true signs in to the address that any heartbeat names, which gives the password away to whoever asks.',
    }),
  },
});
