export { createRestApi, type FetchHandler, type RestApi, type RestApiOptions } from './api.ts';
export { pick, wordIn } from './audited.ts';
export { readRequestBody, type BodyLimits } from './body.ts';
export { readCookie, serializeCookie, type CookieOptions } from './cookies.ts';
export type { CorsOptions } from './cors.ts';
export { createCsrf, type Csrf } from './csrf.ts';
export { errorBodyOf, RestError, type ErrorBody, type FieldProblem } from './errors.ts';
export { escapeHtml, html, Html, type HtmlValue } from './html.ts';
export {
  defineOperation,
  type AuditedCall,
  type AuditedChange,
  type BodyForm,
  type Connection,
  type Operation,
  type OperationFacts,
  type OperationInput,
  type Principal,
  type ResponseDeclaration,
  type RestMethod,
  type Schema,
  type SchemaBuilder,
} from './operation.ts';
export { pageHeaders, pageResponse, redirectResponse, type PageOptions } from './pages.ts';
export { pageOf, pageOfAll, pagingFields, type Page, type Paging } from './paging.ts';
export { carbonAppsCheck, probeOperations } from './probes.ts';
export { jsonResponse, textResponse } from './responses.ts';
export { serveRest } from './serve.ts';
export { createSite, type Mount } from './site.ts';
export { createStaticFiles, type StaticFiles, type StaticOptions } from './static-files.ts';
