import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defineCommand } from 'citty';
import { MillraceError, nearestName } from '#errors';
import { callManagement, readManagement } from '../management-client.ts';
import { fieldsOf, serverOptions, tableOf, textOf } from '../output.ts';

/** What can be shown: its path, the parameter that names one, and the columns of its table. */
const kinds: Readonly<Record<string, { path: string; parameter?: string; columns: readonly string[] }>> = {
  apis: { path: '/apis', parameter: 'apiName', columns: ['name', 'url', 'tracing'] },
  'proxy-services': {
    path: '/proxy-services',
    parameter: 'proxyServiceName',
    columns: ['name', 'wsdl1_1', 'wsdl2_0'],
  },
  endpoints: { path: '/endpoints', parameter: 'endpointName', columns: ['name', 'type', 'isActive'] },
  'inbound-endpoints': {
    path: '/inbound-endpoints',
    parameter: 'inboundEndpointName',
    columns: ['name', 'protocol', 'status'],
  },
  sequences: { path: '/sequences', parameter: 'sequenceName', columns: ['name', 'stats', 'tracing'] },
  tasks: { path: '/tasks', parameter: 'taskName', columns: ['name'] },
  templates: { path: '/templates', columns: ['name', 'type', 'Parameters'] },
  'message-stores': { path: '/message-stores', parameter: 'name', columns: ['name', 'type', 'size'] },
  'message-processors': { path: '/message-processors', parameter: 'name', columns: ['name', 'type', 'status'] },
  'local-entries': { path: '/local-entries', parameter: 'name', columns: ['name', 'type'] },
  connectors: {
    path: '/connectors',
    parameter: 'connectorName',
    columns: ['name', 'status', 'package', 'description'],
  },
  'data-services': { path: '/data-services', parameter: 'dataServiceName', columns: ['name', 'wsdl1_1', 'wsdl2_0'] },
  'data-sources': { path: '/data-sources', parameter: 'name', columns: ['name', 'type'] },
  'composite-apps': { path: '/applications', parameter: 'carbonAppName', columns: ['name', 'version', 'state'] },
  'log-levels': { path: '/logging', parameter: 'loggerName', columns: ['loggerName', 'level', 'componentName'] },
  logs: { path: '/logs', parameter: 'file', columns: ['FileName', 'Size'] },
  users: { path: '/users', columns: ['userId'] },
  roles: { path: '/roles', columns: ['role'] },
  artifacts: { path: '/artifacts', columns: ['key', 'state', 'stats', 'tracing', 'at'] },
  counters: {
    path: '/millrace/counters',
    parameter: 'artifact',
    columns: ['id', 'element', 'count', 'errors', 'mean ms', 'at'],
  },
  narratives: { path: '/millrace/narratives', columns: ['number', 'request', 'status', 'duration'] },
  problems: { path: '/millrace/problems', columns: ['severity', 'file', 'code', 'message'] },
  server: { path: '/server', columns: [] },
};

const names = Object.keys(kinds);

/** `millrace get KIND [NAME]`: what a runtime has deployed and how it is. */
export const getCommand = defineCommand({
  meta: {
    name: 'get',
    description: `Shows what a runtime has: ${names.join(', ')}.\n\nExample: millrace get apis --output json\n`,
  },
  args: {
    kind: { type: 'positional', required: true, description: 'What to show' },
    name: { type: 'positional', required: false, description: 'One of them, with its details' },
    search: { type: 'string', description: 'Only names that contain this', valueHint: 'TEXT' },
    path: { type: 'string', description: 'Directory for a log file that is fetched', default: '.', valueHint: 'DIR' },
    ...serverOptions,
  },
  async run({ args }) {
    const kind = Object.hasOwn(kinds, args.kind) ? kinds[args.kind] : undefined;
    if (!kind) {
      const near = nearestName(args.kind, names);
      const hint = near === undefined ? names.join(', ') : `did you mean ${near}?`;
      throw new MillraceError({ code: 'MR_CLI_KIND', message: `There is nothing called "${args.kind}"; ${hint}` });
    }
    const query = new URLSearchParams();
    if (args.name !== undefined && kind.parameter !== undefined) query.set(kind.parameter, args.name);
    if (args.search !== undefined) query.set('searchKey', args.search);
    const address = query.size === 0 ? kind.path : `${kind.path}?${query.toString()}`;
    if (args.kind === 'logs' && args.name !== undefined) {
      const { bytes } = await callManagement(args.server, { method: 'GET', path: address });
      const file = join(args.path, basename(args.name));
      writeFileSync(file, bytes);
      console.log(`${bytes.length} bytes are in ${file}`);
      return;
    }
    const answer = await readManagement(args.server, address);
    console.log(args.output === 'json' ? JSON.stringify(answer, null, 2) : show(answer, kind.columns));
  },
});

type Fields = Readonly<Record<string, unknown>>;

function show(answer: unknown, columns: readonly string[]): string {
  if (answer === undefined) return 'There is none of that name';
  const { list, activeList, faultyList } = answer as { list?: Fields[]; activeList?: Fields[]; faultyList?: Fields[] };
  const rows =
    list ??
    (activeList && [
      ...activeList.map((item) => ({ ...item, state: 'active' })),
      ...(faultyList ?? []).map((item) => ({ ...item, state: 'faulty' })),
    ]);
  if (!rows) return fieldsOf(answer as Fields);
  return tableOf(
    columns,
    rows.map((row) => columns.map((column) => cellOf(row, column))),
  );
}

function cellOf(row: Fields, column: string): string {
  if (column !== 'mean ms') return textOf(row[column]);
  const { count, timeSum } = row as { count: number; timeSum: number };
  return count === 0 ? '' : (timeSum / count).toFixed(3);
}
