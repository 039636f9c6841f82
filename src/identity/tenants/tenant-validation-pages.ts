import type { Audit } from '#core';
import type { Endpoint, EndpointAnswer, EndpointRequest } from '../http/endpoint.ts';
import { answerEnded } from '../oauth/authorize-errors.ts';
import { basePathOf, knowBrowser, parametersOfRequest } from '../oauth/browser-request.ts';
import { confirmPage } from '../pages/confirm-page.ts';
import { messagePage } from '../pages/message-pages.ts';
import { pageAnswer, pagesPath } from '../pages/page.ts';
import { fill, texts } from '../pages/texts.ts';
import { browserOf } from '../sessions/cookies.ts';
import { formToken, isFormToken } from '../sessions/waiting-requests.ts';
import type { TenantValidation } from './tenant-validation.ts';
import type { Tenant, Tenants } from './tenant.ts';

/** Where the address in the mail leads. */
export const tenantValidationPath = `${pagesPath}/tenant_validation.do`;

/** What the token of the form is for. */
const formName = 'tenant-validation';

export interface TenantValidationParts {
  readonly tenants: Pick<Tenants, 'find'>;
  readonly validation: TenantValidation;
  /** Goes on with a tenant whose owner can be reached; true when it works from now on. */
  readonly validated: (tenant: Tenant) => Promise<boolean>;
  readonly audit: Audit;
}

/** The page on which the owner of a new tenant shows that mail arrives. The tenant itself does not answer yet. */
export function tenantValidationEndpoints(parts: TenantValidationParts): readonly Endpoint[] {
  return [
    {
      path: tenantValidationPath,
      methods: ['GET', 'POST'],
      // Looking does not use the code up: programs look at the addresses in mails too.
      handle: (request) => (request.method === 'GET' ? ask(request) : confirm(request, parts)),
    },
  ];
}

function ask(request: EndpointRequest): EndpointAnswer {
  const parameters = parametersOfRequest(request);
  const domain = parameters.get('domain') ?? '';
  const { id, cookies } = knowBrowser(request);
  const page = confirmPage({
    ...texts.tenantValidation.ask,
    lead: fill(texts.tenantValidation.ask.lead, { domain }),
    action: basePathOf(request) + tenantValidationPath,
    fields: { domain, code: parameters.get('code') ?? '', formToken: formToken(id, formName) },
  });
  return pageAnswer(page, { headers: cookies });
}

async function confirm(request: EndpointRequest, parts: TenantValidationParts): Promise<EndpointAnswer> {
  const form = parametersOfRequest(request);
  if (!isFormToken(form.get('formToken'), browserOf(request.headers), formName)) return answerEnded();
  const tenant = await parts.tenants.find(form.get('domain') ?? '');
  if (!tenant || !(await parts.validation.redeem(tenant, form.get('code') ?? ''))) return answerEnded();
  const works = await parts.validated(tenant);
  parts.audit.record({
    actor: 'owner',
    tenant: tenant.domain,
    action: works ? 'activated' : 'validated',
    target: `tenant:${tenant.domain}`,
    outcome: 'success',
    detail: { address: request.peer.address },
  });
  const { done, doneLead, waitsLead } = texts.tenantValidation;
  return pageAnswer(messagePage(done, fill(works ? doneLead : waitsLead, { domain: tenant.domain })));
}
