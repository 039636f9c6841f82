import type { EffectRow } from './effect-row.ts';
import { apiOf, askApi, ports } from './effect-server.ts';

const payload = "<format><r>$1</r></format><args><arg expression=\"string-join(('a', 'b'), '-')\"/></args>";

export const rows: readonly EffectRow[] = [
  {
    key: 'mediation.synapse.enable_xpath_dom_failover',
    first: false,
    second: true,
    given: ports,
    observe: (_, text) => askApi(text, apiOf(`<payloadFactory media-type="xml">${payload}</payloadFactory><respond/>`)),
  },
];
