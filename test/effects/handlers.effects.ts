import type { EffectRow } from './effect-row.ts';
import { apiOf, inServer, outcome, ports, startBackEnd, type Files } from './effect-server.ts';

/** Handlers that leave a trace in the answer; `Mark` writes its parameter, `Other` its name. */
const modules: Files = {
  'extensions/marks.mjs': `
export class Mark {
  async init({ parameters }) { this.text = parameters.text ?? 'mark'; }
  handleResponseOutFlow(message) { message.setText(message.text() + ' ' + this.text); return true; }
}
export class Other {
  handleResponseOutFlow(message) { message.setText(message.text() + ' other'); return true; }
}
export class Way {
  handleRequestInFlow(message) { message.setProperty('way', 'in'); return true; }
  handleRequestOutFlow(message) { message.setProperty('way', message.property('way') + ' out'); return true; }
  handleResponseInFlow(message) { message.setProperty('way', message.property('way') + ' back'); return true; }
}
export class Refuse {
  async handleRequestInFlow(message) { message.setText('refused'); await message.respond(); return false; }
}
`,
};

const answering = apiOf('<payloadFactory media-type="text"><format>answer</format></payloadFactory><respond/>');

function handler(name: string, more = ''): string {
  return `[synapse_handlers.${name}]\nname = "${name}"\nclass = "./marks.mjs#${name === 'mark' ? 'Mark' : 'Other'}"\n${more}`;
}

const asked = (text: string): Promise<string> =>
  inServer(text, { ...modules, ...answering }, (server) => outcome(`${server.url('API HTTP')}/t`));

/** What a message that goes to a back end and comes back passes. */
async function passed(text: string): Promise<string> {
  await using backEnd = await startBackEnd((_request, response) => response.end('from the back end'));
  const flow = `<call><endpoint><http uri-template="${backEnd.url}"/></endpoint></call>
    <payloadFactory media-type="text"><format>$1</format><args><arg expression="get-property('way')"/></args></payloadFactory>
    <respond/>`;
  return await inServer(text, { ...modules, ...apiOf(flow) }, (server) => outcome(`${server.url('API HTTP')}/t`));
}

export const rows: readonly EffectRow[] = [
  {
    key: 'enabled_global_handlers',
    first: ['mark', 'other'],
    second: ['other', 'mark'],
    given: `${ports}${handler('mark')}${handler('other')}`,
    observe: (_, text) => asked(text),
  },
  {
    key: 'synapse_handlers.way.class',
    first: './marks.mjs#Way',
    second: './marks.mjs#Refuse',
    given: `${ports}[synapse_handlers.way]\nname = "way"\n`,
    observe: (_, text) => passed(text),
  },
  {
    key: 'synapse_handlers.mark.enabled',
    first: true,
    second: false,
    given: `${ports}${handler('mark')}`,
    observe: (_, text) => asked(text),
  },
  {
    key: 'synapse_handlers.mark.name',
    first: 'chosen',
    second: 'other',
    given: `enabled_global_handlers = ["chosen"]\n${ports}[synapse_handlers.mark]\nclass = "./marks.mjs#Mark"\n`,
    observe: (_, text) => asked(text).catch((error: unknown) => String(error)),
  },
  ...(['name', 'value'] as const).map((name): EffectRow => ({
    key: `synapse_handlers.mark.parameters.${name}`,
    first: 'text',
    second: 'more',
    given: `${ports}${handler('mark')}[[synapse_handlers.mark.parameters]]\n${name === 'name' ? 'value' : 'name'} = "text"\n`,
    observe: (_, text) => asked(text),
  })),
];
