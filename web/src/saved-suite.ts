import type { BackEndAnswers } from './back-end-answers.ts';
import { bare, cdata, escaped } from './markup.ts';
import { mockServices } from './mock-services.ts';
import { masked, type StepState, type TracedRequest } from './trace-model.ts';

/** What is asserted: the status and the body that the traced message, or its replay, ended with. */
export interface Expected {
  readonly status: number | undefined;
  readonly body: string | undefined;
}

/** What a traced message ended with, as far as its last step shows it. */
export function tracedEnd(states: readonly StepState[]): Expected {
  const end = states.at(-1)?.after;
  const body = end?.get('payload') ?? '';
  const status = Number(end?.get('axis2:HTTP_SC'));
  return {
    status: Number.isInteger(status) ? status : undefined,
    body: body === '' || body.includes(masked) || /^\(not read|… \(\d+ characters\)$/.test(body) ? undefined : body,
  };
}

/** A unit-test suite of one case, with the artifact in it and what back ends answered, that `millrace test` runs. */
export function suiteOf(options: {
  readonly request: TracedRequest;
  readonly source: string;
  readonly context: string;
  readonly expected: Expected;
  /** Sources of what the artifact uses, directly or not. */
  readonly supporting: readonly string[];
  readonly answers: BackEndAnswers;
}): string {
  const { request, source, context, expected, supporting, answers } = options;
  const path = request.path.startsWith(context) ? request.path.slice(context.length) || '/' : request.path;
  const property = (name: string, value: string): string =>
    `          <property name="${escaped(name)}" value="${escaped(value)}" scope="transport"/>`;
  const assertion = (actual: string, text: string): string =>
    [
      '        <assertEquals>',
      `          <actual>${actual}</actual>`,
      `          <expected>${cdata(text)}</expected>`,
      `          <message>${actual} is as it was traced</message>`,
      '        </assertEquals>',
    ].join('\n');
  return [
    '<unit-test>',
    '  <artifacts>',
    '    <test-artifact>',
    `      <artifact>${bare(source)}</artifact>`,
    '    </test-artifact>',
    '    <supportive-artifacts>',
    ...supporting.map((each) => `      <artifact>${bare(each)}</artifact>`),
    '    </supportive-artifacts>',
    '  </artifacts>',
    '  <test-cases>',
    `    <test-case name="${escaped(`${request.method} ${request.path}`)}">`,
    '      <input>',
    `        <request-path>${escaped(path)}</request-path>`,
    `        <request-method>${escaped(request.method)}</request-method>`,
    ...(request.body === '' ? [] : [`        <payload>${cdata(request.body)}</payload>`]),
    '        <properties>',
    ...Object.entries(request.headers).map(([name, value]) => property(name, value)),
    '        </properties>',
    '      </input>',
    '      <assertions>',
    ...(expected.status === undefined ? [] : [assertion('$statusCode', String(expected.status))]),
    ...(expected.body === undefined || expected.body === '' ? [] : [assertion('$body', expected.body)]),
    '      </assertions>',
    '    </test-case>',
    '  </test-cases>',
    '  <mock-services>',
    ...mockServices(answers, endpointNames([source, ...supporting])),
    '  </mock-services>',
    '</unit-test>',
    '',
  ].join('\n');
}

/** Names of the endpoints that stand in sources, which mock services can replace. */
function endpointNames(sources: readonly string[]): readonly string[] {
  const found = sources.flatMap((source) =>
    [...source.matchAll(/<(?:[\w.-]+:)?endpoint\s[^>]*?\bname\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(
      ([, double, single]) => double ?? single ?? '',
    ),
  );
  return [...new Set(found)];
}
