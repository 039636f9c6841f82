import type { AnyMediatorType } from '../mediator.ts';
import { aggregate } from './aggregate.ts';
import { builder } from './builder.ts';
import { cache } from './cache.ts';
import { call } from './call.ts';
import { callTemplate } from './call-template.ts';
import { callout } from './callout.ts';
import { classMediator } from './class.ts';
import { clone } from './clone.ts';
import { conditionalRouter } from './conditional-router.ts';
import { dataServiceCall } from './data-service-call.ts';
import { dblookup } from './dblookup.ts';
import { dbreport } from './dbreport.ts';
import { datamapper } from './datamapper.ts';
import { inMediator, outMediator, synapse } from './direction.ts';
import { connectorOperation } from './connector-operation.ts';
import { drop } from './drop.ts';
import { enqueue } from './enqueue.ts';
import { enrich } from './enrich.ts';
import { entitlementService } from './entitlement-service.ts';
import { event } from './event.ts';
import { eventPublisher } from './event-publisher.ts';
import { filter } from './filter.ts';
import { foreach } from './foreach.ts';
import { header } from './header.ts';
import { iterate } from './iterate.ts';
import { jsontransform } from './jsontransform.ts';
import { log } from './log.ts';
import { loopback } from './loopback.ts';
import { makefault } from './makefault.ts';
import { ntlm } from './ntlm.ts';
import { oauthService } from './oauth-service.ts';
import { opa } from './opa.ts';
import { payloadFactory } from './payload-factory.ts';
import { pojoCommand } from './pojo-command.ts';
import { property, propertyGroup } from './property.ts';
import { publishEvent } from './publish-event.ts';
import { respond } from './respond.ts';
import { rewrite } from './rewrite.ts';
import { router } from './router.ts';
import { sampler } from './sampler.ts';
import { scatterGather } from './scatter-gather.ts';
import { script } from './script.ts';
import { send } from './send.ts';
import { sequence } from './sequence.ts';
import { store } from './store.ts';
import { switchMediator } from './switch.ts';
import { throttle } from './throttle.ts';
import { throwError } from './throw-error.ts';
import { transaction } from './transaction.ts';
import { unsupportedMediators } from './unsupported.ts';
import { validate } from './validate.ts';
import { variable } from './variable.ts';
import { xquery } from './xquery.ts';
import { fastXslt, xslt } from './xslt.ts';

/** Every mediator, one line each. */
export const mediatorTypes: readonly AnyMediatorType[] = [
  sampler,
  router,
  enqueue,
  inMediator,
  outMediator,
  synapse,
  conditionalRouter,
  scatterGather,
  foreach,
  aggregate,
  builder,
  cache,
  call,
  callTemplate,
  callout,
  classMediator,
  clone,
  dataServiceCall,
  dblookup,
  dbreport,
  datamapper,
  connectorOperation,
  drop,
  enrich,
  entitlementService,
  event,
  eventPublisher,
  filter,
  header,
  iterate,
  jsontransform,
  log,
  loopback,
  makefault,
  ntlm,
  oauthService,
  opa,
  payloadFactory,
  pojoCommand,
  property,
  propertyGroup,
  publishEvent,
  respond,
  script,
  rewrite,
  send,
  sequence,
  store,
  switchMediator,
  throttle,
  throwError,
  transaction,
  validate,
  variable,
  xquery,
  xslt,
  fastXslt,
  ...unsupportedMediators,
];

/** The mediators by element name, aliases included. */
export const mediatorsByElement: ReadonlyMap<string, AnyMediatorType> = new Map(
  mediatorTypes.flatMap((type) => [type.element, ...type.aliases].map((name) => [name, type] as const)),
);
