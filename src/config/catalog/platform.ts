import { defineSection, key } from './define.ts';
import { boolean, decimal, duration, integer, text } from './types.ts';

export const indexing = defineSection({
  path: 'indexing',
  doc: 'The search index of the portals.',
  keys: {
    enable: key('enable', boolean(), {
      default: true,
      doc: 'Search index; publisher and portal nodes only.',
      effect: 'starts the full-text indexer (embedded search index).',
    }),
    startingDelay: key('starting_delay', duration('s'), { default: 35, doc: 'Delay.', effect: 'first indexing run.' }),
    frequency: key('frequency', duration('s'), {
      default: 3,
      doc: 'Interval.',
      effect: 'interval of the change poll.',
    }),
    bachSize: key('bach_size', integer({ min: 0 }), {
      default: 40,
      aliases: ['batch_size'],
      doc: 'Resources per indexing thread.',
      effect: 'changes per batch.',
    }),
    poolSize: key('pool_size', integer({ min: 0 }), {
      default: 40,
      doc: 'Indexing threads.',
      mapped: 'concurrent document extractions.',
    }),
    reIndexing: key('re_indexing', integer({ min: 0 }), {
      doc: 'Raise by one to reindex.',
      effect: 'value is stored with the last index position; a different value restarts from the beginning.',
    }),
    location: key('location', text(), {
      default: '../../../../solr/data',
      additional: true,
      doc: 'Index directory.',
      effect: 'directory of the index.',
    }),
    skipRolesRegex: key('skip_roles_regex', text(), {
      additional: true,
      doc: 'Roles left out of the index.',
      effect: 'roles that match are left out.',
    }),
  },
});

export const governance = defineSection({
  path: 'governance',
  doc: 'Life cycles.',
  keys: {
    lifeCycleChecklistItemsEnabled: key('life_cycle_checklist_items_enabled', boolean(), {
      default: true,
      doc: 'Checklist items.',
      effect: 'life-cycle transitions show and enforce checklist items.',
    }),
  },
});

export const qpidHeartbeat = defineSection({
  path: 'qpid.heartbeat',
  doc: 'Heartbeats of the message broker connection.',
  keys: {
    delay: key('delay', duration('s'), {
      default: 0,
      note: 'a sample shows 1',
      doc: 'Seconds between pings.',
      effect: 'heartbeat negotiated by the AMQP listener of the broker; 0 = off.',
    }),
    timeoutFactor: key('timeoutFactor', decimal({ min: 0 }), {
      default: 2.0,
      aliases: ['timeout_factor'],
      doc: 'Timeout factor.',
      effect: 'connection closed after delay * factor without traffic.',
    }),
  },
});
