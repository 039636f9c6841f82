import { setTimeout as pause } from 'node:timers/promises';
import { readSettings } from '#server';
import type { EffectRow } from './effect-row.ts';
import { apiOf, ask, askApi, inServer, outcome, ports, proxyTo, showing, startBackEnd } from './effect-server.ts';

/** The request's XML as JSON, as the message would be sent on. */
const toJson = apiOf('<property name="messageType" value="application/json" scope="axis2"/><respond/>');
/** The request's JSON as XML. */
const toXml = apiOf('<property name="messageType" value="application/xml" scope="axis2"/><respond/>');

const xml = (body: string) => ({ method: 'POST', headers: { 'Content-Type': 'application/xml' }, body });
const json = (body: string) => ({ method: 'POST', headers: { 'Content-Type': 'application/json' }, body });

/** A row whose effect shows in the answer to one body. */
function conversion(
  key: string,
  [first, second]: readonly [EffectRow['first'], EffectRow['first']],
  { given = '', body }: { given?: string; body: string },
): EffectRow {
  return {
    key: `mediation.synapse.${key}`,
    first,
    second,
    given: ports.replace('[mediation]\n', `[mediation]\n${given}`),
    observe: (_, text) => askApi(text, toJson, xml(body)),
  };
}

const flags = [false, true] as const;

export const rows: readonly EffectRow[] = [
  conversion('enable_xml_nil', flags, {
    body: '<a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>',
  }),
  conversion('preserve_namespace_on_xml_to_json', flags, { body: '<n:a xmlns:n="urn:n">x</n:a>' }),
  conversion('enable_namespace_declaration', flags, {
    given: 'synapse.preserve_namespace_on_xml_to_json = true\n',
    body: '<n:a xmlns:n="urn:n">x</n:a>',
  }),
  conversion('enable_auto_primitive', flags, { body: '<a>12</a>' }),
  conversion('json_out_auto_array', flags, { body: '<a><b>1</b><b>2</b></a>' }),
  conversion('disable_auto_primitive_regex', ['^1.*', '^2.*'], { body: '<a>12</a>' }),
  conversion('disable_custom_replace_regex', ['@@@', '###'], { body: '<a>@@@12</a>' }),
  {
    key: 'mediation.synapse.build_valid_nc_name',
    first: false,
    second: true,
    given: ports,
    observe: (_, text) => askApi(text, toXml, json('{"a b": 1}')),
  },
  {
    key: 'millrace.compat.lossless_json',
    first: false,
    second: true,
    given: ports,
    observe: (_, text) => askApi(text, toXml, json('{"a": [1], "b": "1"}')),
  },
  {
    key: 'mediation.synapse.global_timeout_interval',
    first: 100,
    second: 60_000,
    given: ports,
    async observe(_, text) {
      await using backEnd = await startBackEnd((_request, response) => {
        void pause(600).then(() => response.end('late'));
      });
      return await askApi(text, proxyTo(backEnd.url));
    },
  },
  {
    key: 'mediation.internal_http_api_enable',
    first: false,
    second: true,
    given: ports,
    observe: (_, text) => inServer(text, {}, async ({ server }) => server.addresses.map(({ name }) => name)),
  },
  ...(['internal_http_api_port', 'internal_https_api_port'] as const).map((name): EffectRow => ({
    key: `mediation.${name}`,
    first: 9000,
    second: 9001,
    observe(config) {
      const { probes, management } = readSettings(config, 0, true);
      return [probes.port, management.port];
    },
  })),
  {
    key: 'synapse_properties.synapse.rest.CORSConfig.Access-Control-Allow-Origin',
    first: 'https://one.example',
    second: 'https://two.example',
    given: ports,
    observe: (_, text) =>
      inServer(text, showing("'x'"), async (server) => {
        const answer = await ask(`${server.url('API HTTP')}/t`, { headers: { Origin: 'https://one.example' } });
        return typeof answer === 'string' ? answer : answer.headers['access-control-allow-origin'];
      }),
  },
  {
    key: 'synapse_properties.synapse.global_endpoint_suspend_duration',
    first: 0,
    second: 60_000,
    given: ports,
    observe: (_, text) => twoFailures(text),
  },
  {
    key: 'synapse_properties.synapse.global_endpoint_suspend_progression_factor',
    first: 0,
    second: 10_000,
    given: `${ports}[synapse_properties]\n'synapse.global_endpoint_suspend_duration' = 10\n`,
    observe: (_, text) => threeFailures(text),
  },
  {
    key: 'synapse_properties.synapse.override_endpoint_suspend_config_with_global_values',
    first: false,
    second: true,
    given: `${ports}[synapse_properties]\n'synapse.global_endpoint_suspend_duration' = 0\n`,
    observe: (_, text) =>
      twoFailures(text, '<suspendOnFailure><initialDuration>60000</initialDuration></suspendOnFailure>'),
  },
  {
    key: 'synapse_properties.synapse.allow.subdelims',
    first: false,
    second: true,
    given: ports,
    observe: (_, text) => inServer(text, withTemplate, (server) => outcome(`${server.url('API HTTP')}/t/a!b`)),
  },
];

const withTemplate = apiOf(
  `<payloadFactory media-type="text"><format>$1</format><args><arg expression="get-property('uri.var.id')"/></args></payloadFactory><respond/>`,
  'uri-template="/{id}"',
);

/** The codes of messages to an address where nobody listens, one after the other. */
async function failures(text: string, policy: string, waits: readonly number[]): Promise<string[]> {
  const unused = await startBackEnd(() => undefined);
  await unused[Symbol.asyncDispose]();
  return inServer(text, proxyTo(unused.url, policy), async (server) => {
    const codes: string[] = [];
    for (const wait of waits) {
      await pause(wait);
      codes.push(await outcome(`${server.url('API HTTP')}/t`));
    }
    return codes;
  });
}

const twoFailures = (text: string, policy = ''): Promise<string[]> => failures(text, policy, [0, 20]);
const threeFailures = (text: string): Promise<string[]> => failures(text, '', [0, 50, 50]);
