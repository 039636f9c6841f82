import type { FakeArtifact } from './fake-runtime.ts';

const orders = `<api name="Orders" context="/order" xmlns="http://ws.apache.org/ns/synapse">
  <resource methods="GET" uri-template="/{id}">
    <inSequence>
      <log level="custom" description="note the order">
        <property name="id" expression="$ctx:uri.var.id"/>
      </log>
      <filter source="$ctx:kind" regex="express">
        <then>
          <property name="lane" value="fast"/>
          <call><endpoint key="Express"/></call>
        </then>
        <else>
          <property name="lane" value="usual"/>
          <call><endpoint key="Stock"/></call>
        </else>
      </filter>
      <payloadFactory media-type="json"><format>{"id":"$1"}</format><args/></payloadFactory>
      <respond/>
    </inSequence>
    <outSequence>
      <property name="answered" value="true"/>
      <send/>
    </outSequence>
    <faultSequence>
      <log level="full"/>
      <respond/>
    </faultSequence>
  </resource>
</api>`;

export const stageArtifacts: readonly FakeArtifact[] = [
  { kind: 'api', name: 'Orders', configuration: orders, stats: 'enabled', tracing: 'disabled' },
  {
    kind: 'endpoint',
    name: 'Stock',
    configuration: '<endpoint name="Stock"><http uri-template="http://stock"/></endpoint>',
    state: 'active',
  },
  { kind: 'endpoint', name: 'Express', configuration: '<endpoint name="Express"/>', state: 'suspended' },
  { kind: 'task', name: 'Nightly', configuration: '<task name="Nightly"/>', state: 'active' },
  { kind: 'messageProcessor', name: 'Forward', configuration: '<messageProcessor name="Forward"/>', state: 'inactive' },
];

/** What another group runs. */
export const billing: FakeArtifact = {
  kind: 'api',
  name: 'Billing',
  configuration:
    '<api name="Billing" context="/bill"><resource methods="GET"><inSequence><respond/></inSequence></resource></api>',
  stats: 'enabled',
  tracing: 'disabled',
};

const at = Date.now() - 60_000;
const counter = (id: string, count: number, errors: number): object => ({
  id,
  element: 'log',
  count,
  errors,
  inFlight: 1,
  timeSum: count * 2,
  histogram: [count, 0, 0, errors],
  window: { count, errors, timeSum: 1 },
});

let looks = 0;

/** Figures of an API that grow with every look, with a burst of errors at times. */
export const countersOf = (api: string) => (): object => {
  looks++;
  const total = Math.round(5200 + looks * 900 + Math.sin(looks / 5) * 2500);
  const failed = 14 + Math.floor(looks / 12) * 120;
  return {
    cursor: looks,
    bounds: [0.1, 1, 10],
    count: 4,
    list: [
      counter(`${api}/resource:0/in/0`, total, 0),
      counter(`${api}/resource:0/in/1`, total, failed),
      counter(`${api}/resource:0/in/1/then/0`, failed * 4, 0),
      counter(`${api}/resource:0/in/1/then/1`, failed * 4, failed),
    ],
  };
};

/** What a runtime of ours says beside its artifacts. */
export const answers = {
  'millrace/counters': countersOf('api:Orders'),
  'millrace/narratives': {
    count: 1,
    list: [
      {
        number: 1,
        at,
        message: 'm',
        request: 'GET /order/7',
        duration: 12,
        status: 500,
        incidents: [
          {
            at,
            kind: 'fault',
            facts: {
              code: 101_503,
              mediator: 'api:Orders/resource:0/in/1/then/1',
              at: 'orders.xml:10:11',
              error: 'Error connecting to the back end',
            },
          },
        ],
      },
    ],
  },
  'millrace/traces': {
    count: 1,
    list: [
      {
        number: 3,
        message: 'urn:uuid:1',
        artifact: 'api:Orders',
        at,
        duration: 12.4,
        failed: true,
        steps: 2,
        omitted: 0,
        method: 'POST',
        path: '/order/7?express=true',
        status: 500,
        size: 22,
        endedIn: 'api:Orders/resource:0/in/1',
      },
    ],
  },
  'millrace/traces/3': {
    number: 3,
    origin: 'http://orders.example:8295',
    message: 'urn:uuid:1',
    artifact: 'api:Orders',
    at,
    duration: 12.4,
    failed: true,
    omitted: 0,
    steps: [
      {
        mediator: 'api:Orders/resource:0/in/0',
        element: 'log',
        start: 0,
        duration: 0.4,
        before: {
          payload: '{"id":7}',
          'header:Accept': '*/*',
          'header:Authorization': '*****',
          'axis2:HTTP_METHOD': 'POST',
          'axis2:TransportInURL': '/order/7?express=true',
        },
      },
      {
        mediator: 'api:Orders/resource:0/in/1',
        element: 'payloadFactory',
        start: 0.5,
        duration: 11,
        after: { payload: '{"id":7,"lane":"fast"}', 'default:lane': 'fast' },
        error: 'Error connecting to the back end',
      },
    ],
  },
  'millrace/problems': {
    count: 2,
    list: [
      {
        code: 'MR_MEDIATOR_UNKNOWN',
        severity: 'error',
        message: 'expected a mediator; found <lgo>',
        position: { file: '/opt/home/artifacts/api/orders.xml', line: 5, column: 7 },
        excerpt: '      <lgo level="custom"/>',
        hint: 'Did you mean log?',
        file: 'artifacts/api/orders.xml',
        runs: ['api:Orders'],
      },
      {
        code: 'MR_REFERENCE_MISSING',
        severity: 'warning',
        message: 'there is no sequence "Missing"',
        position: { file: '/opt/home/carbonapps/Shop.car!/Stray/Stray.xml', line: 2, column: 3 },
        excerpt: '  <sequence key="Missing"/>',
        file: 'carbonapps/Shop.car!/Stray/Stray.xml',
        application: 'Shop',
        runs: [],
      },
    ],
  },
  applications: {
    totalCount: 2,
    activeCount: 1,
    activeList: [{ name: 'Shop', version: '1.0.0', artifacts: [{ name: 'Stray', type: 'sequence' }] }],
    faultyCount: 1,
    faultyList: [{ name: 'Broken', version: '1.0.0', artifacts: [] }],
  },
  'applications/Broken/fault': {
    faultStackTrace: 'carbonapps/Broken.car!/artifacts.xml:3:4: error: expected an artifact [MR_APPLICATION_INVALID]',
  },
  'millrace/captures': { count: 0, list: [], id: '1' },
  'millrace/replays': {
    status: 200,
    duration: 8.25,
    size: 21,
    headers: [['Content-Type', 'application/json']],
    body: '{"id":7,"lane":"usual"}',
  },
  'millrace/stored-messages/Pending': (query: URLSearchParams) =>
    query.get('cursor') === '12'
      ? {
          size: 3,
          list: [{ number: 13, id: 'urn:uuid:4', contentType: 'text/plain', characters: 4, excerpt: 'last' }],
        }
      : {
          size: 3,
          list: [
            { number: 11, id: 'urn:uuid:2', contentType: 'application/json', characters: 8, excerpt: '{"id":7}' },
            {
              number: 12,
              id: 'urn:uuid:3',
              contentType: 'text/xml',
              characters: 12,
              excerpt: '<id>8</id>',
              error: 'The back end did not answer',
            },
          ],
          next: '12',
        },
  'millrace/stored-messages/Pending/11': {
    number: 11,
    id: 'urn:uuid:2',
    parts: { payload: '{"id":7}', 'header:Content-Type': 'application/json', 'default:lane': 'fast' },
  },
  'millrace/endpoint-states/Express': {
    name: 'Express',
    state: 'suspended',
    retryIn: 25_000,
    retriesLeft: 0,
    sent: 90,
    failed: 14,
    failuresByCode: { '101503': 14 },
    totalTime: 900,
    shortestTime: 2,
    longestTime: 40,
    members: [],
  },
  'millrace/configuration': {
    file: 'conf/deployment.toml',
    coverage: { total: 580, honoured: 560, inert: 15, pending: 5 },
    values: [
      {
        path: 'server.hostname',
        value: 'localhost',
        source: 'conf/deployment.toml:2:1',
        kind: 'file',
        doc: 'Host name of the server.',
        effect: 'Stands in addresses that the server tells.',
        status: 'honoured',
      },
      {
        path: 'server.offset',
        value: 0,
        source: 'default',
        kind: 'default',
        doc: 'Added to every port.',
        effect: 'Moves every port.',
        status: 'honoured',
      },
    ],
  },
  logging: {
    count: 2,
    list: [
      { loggerName: 'rootLogger', componentName: '', level: 'INFO' },
      { loggerName: 'mediation', componentName: 'mediation', level: 'WARN' },
    ],
  },
  configs: { configName: 'correlation', configs: { enabled: false } },
  logs: { count: 1, list: [{ FileName: 'millrace.log', Size: '1.3 KB' }] },
  'users/ada': { userId: 'ada', isAdmin: false, roles: ['admin'] },
  users: { count: 3, list: [{ userId: 'admin' }, { userId: 'ada' }, { userId: 'PARTNERS/lin' }] },
  'users/lin': (query: URLSearchParams) => ({ userId: 'lin', isAdmin: false, roles: [query.get('domain') ?? ''] }),
  roles: { count: 2, list: [{ role: 'admin' }, { role: 'operator' }] },
  'message-stores': { count: 1, list: [{ name: 'Pending', type: 'in-memory-message-store', size: 2 }] },
} as const;
