import type { RestMethod } from '#rest';

/** Something of one runtime that the console reads or changes at the moment it is asked. */
export interface LiveResource {
  /** Last segment of the console's path; the rest of the path goes to the runtime. */
  readonly name: string;
  /** Path below the runtime's `/management`. */
  readonly path: string;
  readonly summary: string;
  readonly methods: readonly RestMethod[];
  /** Who may read. */
  readonly read: ConsoleScope;
  /** Who may change. */
  readonly write: ConsoleScope;
}

/** What a user of the console may do: look, change what runs, or administer. */
export type ConsoleScope = 'view' | 'operate' | 'administer';

const all: readonly RestMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What the console may ask of a runtime (management 1.5); nothing else is passed on. */
export const liveResources: readonly LiveResource[] = [
  resource('server', 'The process: product, version, system; restart and stop', ['GET', 'PATCH'], {
    write: 'administer',
  }),
  resource('logging', 'Log levels', ['GET', 'PATCH', 'DELETE'], { write: 'administer' }),
  resource('logs', 'Log files', ['GET']),
  resource('message-stores', 'Message stores with their sizes, and their messages', all, { write: 'operate' }),
  resource('message-processors', 'Message processors', ['GET']),
  resource('endpoints', 'Endpoints with their states', ['GET']),
  resource('applications', 'Archives that are deployed', all, { write: 'administer' }),
  resource('registry-resources', 'The registry', ['GET']),
  resource('users', 'Users of the runtime', all, { read: 'administer', write: 'administer' }),
  resource('roles', 'Roles of the runtime', all, { read: 'administer', write: 'administer' }),
  resource('configs', 'Switches such as the correlation log', ['GET', 'PUT'], {
    read: 'administer',
    write: 'administer',
  }),
  own('counters', 'Figures of mediators', ['GET']),
  own('narratives', 'What happened to messages that failed', ['GET']),
  own('configuration', 'Effective configuration with the origin of each value', ['GET'], { read: 'administer' }),
  own('endpoint-states', 'Where an endpoint stands between active and suspended', ['GET']),
  own('problems', 'What is wrong with the artifacts', ['GET']),
  own('traces', 'Messages that were traced, with their contents', ['GET', 'DELETE'], { read: 'administer' }),
  own('stored-messages', 'Messages that wait in a message store', ['GET', 'POST', 'DELETE'], { read: 'administer' }),
  own('audit', 'Who did what on the administrative APIs of a runtime', ['GET'], { read: 'administer' }),
  own('log-parts', 'Whole lines of a log file from an offset on', ['GET']),
  own('replays', 'Sends a request to the APIs of a runtime', ['POST']),
  own('captures', 'Requests to trace the next messages', ['GET', 'POST', 'DELETE']),
];

// oxlint-disable-next-line max-params -- a row of the table above
function resource(
  name: string,
  summary: string,
  methods: readonly RestMethod[],
  scopes: Partial<Pick<LiveResource, 'read' | 'write'>> = {},
): LiveResource {
  return { name, path: name, summary, methods, read: 'view', write: 'administer', ...scopes };
}

/** What only our own runtimes have. */
// oxlint-disable-next-line max-params -- a row of the table above
function own(
  name: string,
  summary: string,
  methods: readonly RestMethod[],
  scopes: Partial<Pick<LiveResource, 'read' | 'write'>> = {},
): LiveResource {
  return { ...resource(name, summary, methods, scopes), path: `millrace/${name}` };
}
