import type { EffectRow } from './effect-row.ts';
import { apiOf, askApi, inServer, outcome, ports, type Files } from './effect-server.ts';

const asJson = '<property name="messageType" value="application/json" scope="axis2"/>';

/** An API at `/t` that runs a script and answers with the payload, or with the message of the fault. */
function running(code: string): Files {
  return apiOf(`<script language="js"><![CDATA[${code}]]></script>${asJson}<respond/>`, '', 'ERROR_MESSAGE');
}

const registryScript = {
  'registry/config/count.js': 'var count = 0; function mediate(mc) { mc.setPayloadJSON(++count); }',
  ...apiOf(`<script language="js" key="conf:/count.js"/>${asJson}<respond/>`),
};

export const rows: readonly EffectRow[] = [
  {
    key: 'millrace.script.timeout',
    first: '20ms',
    second: '30s',
    given: ports,
    observe: (_, text) =>
      askApi(text, running('var end = Date.now() + 200; while (Date.now() < end); mc.setPayloadJSON(1);')),
  },
  {
    key: 'millrace.script.memory',
    first: 8,
    second: 200,
    given: ports,
    observe: (_, text) =>
      askApi(text, running('var a = []; for (var i = 0; i < 3e6; i++) a.push({ i }); mc.setPayloadJSON(a.length);')),
  },
  {
    key: 'mediation.synapse.script_mediator_pool_size',
    first: 0,
    second: 1,
    given: ports,
    observe: (_, text) =>
      inServer(text, registryScript, async (server) => {
        const url = `${server.url('API HTTP')}/t`;
        return [await outcome(url), await outcome(url)];
      }),
  },
  {
    key: 'synapse_properties.synapse.script.mediator.default.engine',
    first: 'rhinoJs',
    second: 'graalJs',
    given: ports,
    observe: (_, text) => askApi(text, running(`mc.setPayloadJSON('{"a":1}');`)),
  },
];
