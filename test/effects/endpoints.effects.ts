import { setTimeout as sleep } from 'node:timers/promises';
import type { EffectRow } from './effect-row.ts';
import { apiOf, ask, inServer, outcome, ports, startBackEnd } from './effect-server.ts';

/** Which of two members answers the second message of a session, a while after the first. */
async function secondMember(text: string): Promise<unknown> {
  const answerAs = (name: string) =>
    startBackEnd((_request, response) => response.setHeader('Set-Cookie', `JSESSIONID=${name}`).end(name));
  await using one = await answerAs('one');
  await using two = await answerAs('two');
  const members = [one, two].map(({ url }, at) => `<endpoint name="e${at}"><address uri="${url}"/></endpoint>`);
  const flow = `<call><endpoint name="group"><session type="http"/><loadbalance>${members.join('')}</loadbalance></endpoint></call><respond/>`;
  return await inServer(text, apiOf(flow), async (server) => {
    const url = `${server.url('API HTTP')}/t`;
    const first = await ask(url);
    if (typeof first === 'string') throw new Error(first);
    await sleep(20);
    const second = await ask(url, { headers: { Cookie: `JSESSIONID=${first.body}` } });
    return typeof second === 'string' ? second : second.body === first.body;
  });
}

/**
 * What three messages with a pause between them get of a back end behind OAuth, and how many tokens they took. The
 * back end takes each token once when it is `strict`.
 */
async function guarded(text: string, strict: boolean): Promise<unknown> {
  let tokens = 0;
  const used = new Set<string>();
  await using authority = await startBackEnd((_request, response) => {
    const token = JSON.stringify({ access_token: `t${++tokens}`, expires_in: 3600 });
    response.setHeader('Content-Type', 'application/json').end(token);
  });
  await using backEnd = await startBackEnd((request, response) => {
    const { authorization = '' } = request.headers;
    response.statusCode = strict && used.has(authorization) ? 401 : 200;
    used.add(authorization);
    response.end();
  });
  const flow = `<call><endpoint><http method="get" uri-template="${backEnd.url}/"><authentication><oauth><clientCredentials>
      <clientId>me</clientId><clientSecret>secret</clientSecret><tokenUrl>${authority.url}/token</tokenUrl>
    </clientCredentials></oauth></authentication></http></endpoint></call><respond/>`;
  return await inServer(text, apiOf(flow), async (server) => {
    const answers: string[] = [];
    for (let message = 0; message < 3; message++) {
      answers.push(await outcome(`${server.url('API HTTP')}/t`));
      await sleep(20);
    }
    return { answers, tokens };
  });
}

export const rows: readonly EffectRow[] = [
  {
    key: 'synapse_properties.synapse.sal.endpoints.sesssion.timeout.default',
    first: 1,
    second: 60_000,
    given: ports,
    observe: (_, text) => secondMember(text),
  },
  {
    key: 'synapse_properties.synapse.endpoint.http.oauth.cache.timeout',
    first: 0,
    second: 60,
    given: ports,
    observe: (_, text) => guarded(text, false),
  },
  {
    key: 'synapse_properties.synapse.endpoint.http.oauth.token.retry.message.building.disabled',
    first: false,
    second: true,
    given: ports,
    observe: (_, text) => guarded(text, true),
  },
];
