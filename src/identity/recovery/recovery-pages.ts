import type { Clock } from '#core';
import { MillraceError } from '#errors';
import type { HeaderList } from '#message';
import { localDialect } from '../claims/local-claims.ts';
import type { Endpoint, EndpointAnswer, EndpointRequest } from '../http/endpoint.ts';
import type { Parameters } from '../http/parameters.ts';
import { answerEnded } from '../oauth/authorize-errors.ts';
import { basePathOf, knowBrowser, parametersOfRequest } from '../oauth/browser-request.ts';
import { messagePage } from '../pages/message-pages.ts';
import { pageAnswer, recoveryPath } from '../pages/page.ts';
import {
  recoveryCodePage,
  recoveryPasswordPage,
  recoveryStartPage,
  type RecoveryForm,
} from '../pages/recovery-page.ts';
import { fill, texts } from '../pages/texts.ts';
import { createBackoff } from '../sessions/backoff.ts';
import { browserOf } from '../sessions/cookies.ts';
import { formToken, isFormToken } from '../sessions/waiting-requests.ts';
import type { Recovery, Sent } from './recovery.ts';

/** What the tokens of the forms are for. */
const formName = 'recovery';

/** The steps, by their paths below the folder. */
const steps = {
  start: '/recoverpassword.do',
  code: '/verifyotp.do',
  again: '/resendotp.do',
  link: '/confirmrecovery.do',
  password: '/passwordreset.do',
} as const;

/** Notices that one address may ask for before it has to wait. */
const freeNotices = 10;

export interface RecoveryPagesParts {
  readonly recovery: Recovery;
  readonly clock: Clock;
}

/** The pages of account recovery, which need no script (identity 5.6). */
export function recoveryPages({ recovery, clock }: RecoveryPagesParts): readonly Endpoint[] {
  const backoff = createBackoff({ clock, free: { address: freeNotices } });

  const showStart = async (request: EndpointRequest, problem?: string, status = 200): Promise<EndpointAnswer> => {
    const { form, cookies } = formOf(request, 'start', problem);
    const username = (parametersOfRequest(request).get('username') ?? '').slice(0, 255);
    const { username: pattern } = await recovery.patterns(request.tenant);
    return pageAnswer(recoveryStartPage({ ...form, username, pattern }), { status, headers: cookies });
  };

  const showPassword = async (
    request: EndpointRequest,
    given: { readonly use: 'confirm' | 'reset'; readonly code: string },
    problem?: string,
  ): Promise<EndpointAnswer> => {
    const { form, cookies } = formOf(request, 'password', problem);
    const status = problem === undefined ? 200 : 400;
    const { password: pattern } = await recovery.patterns(request.tenant);
    return pageAnswer(recoveryPasswordPage({ ...form, ...given, pattern }), { status, headers: cookies });
  };

  const start = async (request: EndpointRequest, form: Parameters): Promise<EndpointAnswer> => {
    const { tenant, peer } = request;
    const username = form.get('username')?.trim();
    if (username === undefined) return showStart(request, texts.recovery.noUsername, 400);
    const { username: pattern } = await recovery.patterns(tenant);
    if (!username.includes('/') && pattern?.test(username) === false) {
      return showStart(request, fill(texts.recovery.wrongUsername, { pattern: pattern.source }), 400);
    }
    const asker = [`address:${peer.address}`];
    const milliseconds = backoff.wait(asker);
    if (milliseconds > 0) {
      return showStart(request, fill(texts.login.wait, { seconds: Math.ceil(milliseconds / 1000) }), 429);
    }
    backoff.failed(asker);
    const code = await recovery.begin('password', tenant, new Map([[`${localDialect}username`, username]]));
    return showSent(request, await recovery.sendCode(tenant, code, form.get('channel') === 'SMS' ? 'SMS' : 'EMAIL'));
  };

  const verify = async (request: EndpointRequest, form: Parameters): Promise<EndpointAnswer> => {
    const flow = form.get('flow') ?? '';
    const code = (form.get('otp') ?? '').replaceAll(/\s/g, '');
    try {
      const reset = await recovery.confirm(request.tenant, { flow, code });
      return showPassword(request, { use: 'reset', code: reset });
    } catch (error) {
      if (!isWrongCode(error)) throw error;
      const resendCode = form.get('resendCode') ?? '';
      return showCode(request, { flow, resendCode }, texts.recovery.wrongCode);
    }
  };

  const again = async (request: EndpointRequest, form: Parameters): Promise<EndpointAnswer> => {
    try {
      return showSent(request, await recovery.resendCode(request.tenant, form.get('resendCode') ?? ''));
    } catch (error) {
      if (isWrongCode(error)) return answerEnded();
      throw error;
    }
  };

  const setPassword = async (request: EndpointRequest, form: Parameters): Promise<EndpointAnswer> => {
    const use = form.get('use') === 'confirm' ? 'confirm' : 'reset';
    const code = form.get('code') ?? '';
    const password = form.get('password') ?? '';
    const { different, done, doneLead } = texts.recovery;
    if (password !== (form.get('repeat') ?? '')) return showPassword(request, { use, code }, different);
    const { password: pattern } = await recovery.patterns(request.tenant);
    if (pattern?.test(password) === false) {
      const problem = fill(texts.recovery.wrongPassword, { pattern: pattern.source });
      return showPassword(request, { use, code }, problem);
    }
    try {
      await recovery.reset(use, request.tenant, { code, password });
    } catch (error) {
      if (isWrongCode(error)) return answerEnded();
      if (!(error instanceof MillraceError) || error.code !== 'MR_USER_PASSWORD') throw error;
      return showPassword(request, { use, code }, error.message);
    }
    return pageAnswer(messagePage(done, doneLead));
  };

  return [
    {
      path: `${recoveryPath}${steps.start}`,
      methods: ['GET', 'POST'],
      handle: (request) => (request.method === 'GET' ? showStart(request) : withForm(request, start)),
    },
    { path: `${recoveryPath}${steps.code}`, methods: ['POST'], handle: (request) => withForm(request, verify) },
    { path: `${recoveryPath}${steps.again}`, methods: ['POST'], handle: (request) => withForm(request, again) },
    {
      path: `${recoveryPath}${steps.link}`,
      methods: ['GET'],
      // Looking does not use the code up: programs look at the addresses in mails too.
      handle: (request) =>
        showPassword(request, { use: 'confirm', code: parametersOfRequest(request).get('confirmation') ?? '' }),
    },
    {
      path: `${recoveryPath}${steps.password}`,
      methods: ['POST'],
      handle: (request) => withForm(request, setPassword),
    },
  ];
}

type Step = (request: EndpointRequest, form: Parameters) => Promise<EndpointAnswer>;

/** Goes on with a form that a page of ours sent. */
async function withForm(request: EndpointRequest, step: Step): Promise<EndpointAnswer> {
  const form = parametersOfRequest(request);
  return isFormToken(form.get('formToken'), browserOf(request.headers), formName) ? step(request, form) : answerEnded();
}

/** The form of a step, and the cookie of a browser that is new. */
function formOf(
  request: EndpointRequest,
  step: keyof typeof steps,
  problem: string | undefined,
): { readonly form: RecoveryForm; readonly cookies: HeaderList } {
  const { id, cookies } = knowBrowser(request);
  return { form: { action: pathOf(request, step), token: formToken(id, formName), problem }, cookies };
}

function pathOf(request: EndpointRequest, step: keyof typeof steps): string {
  return `${basePathOf(request)}${recoveryPath}${steps[step]}`;
}

function showSent(request: EndpointRequest, { flow, resendCode }: Sent): EndpointAnswer {
  if (flow !== undefined) return showCode(request, { flow, resendCode });
  return pageAnswer(messagePage(texts.recovery.mailed, texts.recovery.mailedLead));
}

function showCode(
  request: EndpointRequest,
  codes: { readonly flow: string; readonly resendCode: string },
  problem?: string,
): EndpointAnswer {
  const { form } = formOf(request, 'code', problem);
  const [again, start] = [pathOf(request, 'again'), pathOf(request, 'start')];
  const status = problem === undefined ? 200 : 400;
  return pageAnswer(recoveryCodePage({ ...form, ...codes, again, start }), { status });
}

function isWrongCode(error: unknown): boolean {
  return error instanceof MillraceError && error.code === 'UAR-10011';
}
