import type { BackEndAnswer, BackEndAnswers } from './back-end-answers.ts';
import { cdata, escaped, noted } from './markup.ts';

/**
 * The mock services of a suite, one for each endpoint with an answer in the trace. What cannot be taken from there is
 * named in a note, for whoever goes on with the suite.
 *
 * @param endpoints names of the endpoints that the suite's artifacts have or name
 */
export function mockServices({ known, unknown }: BackEndAnswers, endpoints: readonly string[]): readonly string[] {
  const replaceable = known.filter(({ endpoint }) => endpoints.includes(endpoint));
  const nameless = known.filter((answer) => !replaceable.includes(answer));
  const asked = new Set([...known, ...unknown].map(({ endpoint }) => endpoint));
  return [
    ...[...new Set(replaceable.map(({ endpoint }) => endpoint))].flatMap((name) =>
      mockService(
        name,
        replaceable.filter(({ endpoint }) => endpoint === name),
      ),
    ),
    ...nameless.map(({ endpoint, target }) =>
      missing(
        `what ${endpoint || target} answers: no endpoint of these artifacts has its name, so nothing can replace it`,
      ),
    ),
    ...unknown.map(({ endpoint, mediator, reason }) =>
      missing(`what ${endpoint || 'the back end'} answers to ${mediator}: ${reason}`),
    ),
    ...endpoints
      .filter((name) => !asked.has(name))
      .map((name) => missing(`what ${name} answers: the traced message did not go there`)),
  ];
}

function missing(what: string): string {
  return `    <!-- Missing: ${noted(what)}. -->`;
}

function mockService(name: string, answers: readonly BackEndAnswer[]): readonly string[] {
  const kept: BackEndAnswer[] = [];
  const notes: string[] = [];
  for (const answer of answers) {
    const same = kept.filter(({ method, target }) => method === answer.method && target === answer.target);
    if (same.some((other) => responseOf(other) === responseOf(answer))) continue;
    if (same.some((other) => !tellApart(other, answer)))
      notes.push(missing(`another answer of ${name} to the same request`));
    else kept.push(answer);
  }
  const [first] = kept;
  // The only answer is given to whatever is asked: where the endpoint leads may depend on where it runs.
  const isOnly = kept.every(({ target }) => target === first?.target);
  return [
    '    <mock-service>',
    `      <service-name>${escaped(name)}</service-name>`,
    '      <port>9090</port>',
    '      <context>/</context>',
    '      <resources>',
    ...kept.flatMap((answer) => resource(answer, isOnly ? '/' : answer.target, kept)),
    '      </resources>',
    '    </mock-service>',
    ...notes,
  ];
}

function resource(answer: BackEndAnswer, path: string, all: readonly BackEndAnswer[]): readonly string[] {
  const { method, target, sent, status, headers, payload } = answer;
  const needsBody = all.some((other) => other !== answer && other.method === method && other.target === target);
  return [
    '        <resource>',
    `          <sub-context>${escaped(path)}</sub-context>`,
    `          <method>${escaped(method)}</method>`,
    ...(needsBody && sent !== undefined
      ? ['          <request>', `            <payload>${cdata(sent)}</payload>`, '          </request>']
      : []),
    '          <response>',
    `            <status-code>${escaped(status)}</status-code>`,
    ...(headers.length === 0
      ? []
      : [
          '            <headers>',
          ...headers.map(
            ([name, value]) => `              <header name="${escaped(name)}" value="${escaped(value)}"/>`,
          ),
          '            </headers>',
        ]),
    ...(payload === '' ? [] : [`            <payload>${cdata(payload)}</payload>`]),
    '          </response>',
    '        </resource>',
  ];
}

/** Requests of one method and path are told apart by their bodies. */
function tellApart(one: BackEndAnswer, other: BackEndAnswer): boolean {
  return one.method !== 'GET' && one.sent !== undefined && other.sent !== undefined && one.sent !== other.sent;
}

function responseOf({ status, headers, payload }: BackEndAnswer): string {
  return JSON.stringify([status, headers, payload]);
}
