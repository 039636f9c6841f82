import type { IconName } from '../icons.tsx';

/** What an element does, as a picture. */
const icons: Readonly<Record<string, IconName>> = {
  log: 'note',
  property: 'tag',
  variable: 'tag',
  header: 'tag',
  propertyGroup: 'tag',
  filter: 'fork',
  switch: 'fork',
  clone: 'fork',
  'scatter-gather': 'fork',
  router: 'fork',
  conditionalRouter: 'fork',
  validate: 'fork',
  throttle: 'fork',
  iterate: 'loop',
  foreach: 'loop',
  aggregate: 'loop',
  call: 'send',
  send: 'send',
  callout: 'send',
  endpoint: 'send',
  http: 'send',
  respond: 'answer',
  loopback: 'answer',
  drop: 'answer',
  payloadFactory: 'edit',
  enrich: 'edit',
  xslt: 'edit',
  xquery: 'edit',
  script: 'edit',
  datamapper: 'edit',
  jsontransform: 'edit',
  store: 'store',
  cache: 'store',
  dbreport: 'store',
  dblookup: 'store',
  dataServiceCall: 'store',
  makefault: 'fault',
  throwError: 'fault',
  sequence: 'artifacts',
  'call-template': 'artifacts',
};

export function iconOf(element: string): IconName {
  return icons[element] ?? 'step';
}
