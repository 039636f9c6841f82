import { jsonOrders, sizes, soapOrders, type SizeName } from './documents.ts';

/** A message that Millrace looks into before it forwards it. */
export interface MediationScenario {
  readonly name: string;
  /** Path of the API's resource or of the proxy service. */
  readonly path: string;
  readonly body: { readonly text: string; readonly type: string };
}

/** What a resource does before it calls the back end, by the first part of the scenarios' names. */
const flows: Readonly<Record<string, string>> = {
  'cbr-source': filter('source="//order[1]/symbol" regex="IBM"'),
  'cbr-xpath': filter(`xpath="//order[1]/symbol = 'IBM'"`),
  'cbr-json': filter('source="json-eval($.orders.order[0].symbol)" regex="IBM"'),
  xslt: '<xslt key="orders"/>',
  script: `
      <script language="js"><![CDATA[
        var [order] = mc.getPayloadJSON().orders.order;
        mc.setPayloadJSON({ symbol: order.symbol, price: order.price });
      ]]></script>`,
  payload: `
      <payloadFactory media-type="json">
        <format>{ "symbol": $1, "price": $2, "text": "${'x'.repeat(940)}" }</format>
        <args>
          <arg evaluator="json" expression="$.orders.order[0].symbol"/>
          <arg evaluator="json" expression="$.orders.order[0].price.value"/>
        </args>
      </payloadFactory>`,
  iterate: `
      <iterate expression="json-eval($.items)"><target><sequence>${branch()}</sequence></target></iterate>${aggregate()}`,
  'clone-2': split(2),
  'clone-8': split(8),
  enrich: `
      <enrich><source xpath="json-eval($.orders.order[0].symbol)"/><target type="property" property="symbol"/></enrich>
      <enrich><source type="inline">{"route":"first"}</source><target xpath="json-eval($.orders.route)"/></enrich>`,
};

/** A call of the back end, whose answer, which is no JSON, becomes a small one. */
function branch(): string {
  return `
        <call><endpoint><http method="post" uri-template="http://127.0.0.1:BACK-END/accept"/></endpoint></call>
        <payloadFactory media-type="json"><format>{ "n": 1 }</format><args/></payloadFactory>`;
}

function aggregate(): string {
  return `
      <aggregate><onComplete expression="json-eval($)"><respond/></onComplete></aggregate>`;
}

function split(count: number): string {
  const targets = Array.from({ length: count }, () => `<target><sequence>${branch()}</sequence></target>`);
  return `
      <clone>${targets.join('')}</clone>${aggregate()}`;
}

/** A body with an array of so many elements. */
function items(count: number): MediationScenario['body'] {
  const list = Array.from({ length: count }, (_, index) => `{"id":${index},"name":"item ${index}"}`);
  return { text: `{"items":[${list.join(',')}]}`, type: 'application/json' };
}

function filter(condition: string): string {
  return `
      <filter ${condition}>
        <then><property name="route" value="first"/></then>
        <else><property name="HTTP_SC" scope="axis2" value="400"/><respond/></else>
      </filter>`;
}

const soapType = 'text/xml; charset=utf-8';

/** A stylesheet that gives each order another shape and sums them up. */
const stylesheet = `
<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform" version="1.0">
  <xsl:template match="/orders">
    <report count="{count(order)}" quantity="{sum(order/quantity)}"><xsl:apply-templates select="order"/></report>
  </xsl:template>
  <xsl:template match="order">
    <line id="{@id}" symbol="{symbol}">
      <xsl:choose>
        <xsl:when test="quantity &gt; 100">large</xsl:when>
        <xsl:otherwise><xsl:value-of select="note"/></xsl:otherwise>
      </xsl:choose>
    </line>
  </xsl:template>
</xsl:stylesheet>`;

/** What the API refers to. */
export const mediationEntries: readonly string[] = [
  `<localEntry xmlns="http://ws.apache.org/ns/synapse" key="orders">${stylesheet}</localEntry>\n`,
];

/** Routing by content at every size, by XML and by JSON, a stylesheet, and a payload of 1 kB made from 0.5 kB. */
export const mediationScenarios: readonly MediationScenario[] = [
  ...(Object.keys(sizes) as SizeName[]).flatMap((size) => [
    scenario('cbr-source', size, { text: soapOrders(sizes[size]), type: soapType }),
    scenario('cbr-xpath', size, { text: soapOrders(sizes[size]), type: soapType }),
    scenario('cbr-json', size, { text: jsonOrders(sizes[size]), type: 'application/json' }),
  ]),
  scenario('xslt', '0.5k', { text: soapOrders(sizes['0.5k']), type: soapType }),
  scenario('xslt', '10k', { text: soapOrders(sizes['10k']), type: soapType }),
  scenario('script', '0.5k', { text: jsonOrders(sizes['0.5k']), type: 'application/json' }),
  scenario('payload', '0.5k', { text: jsonOrders(sizes['0.5k']), type: 'application/json' }),
  scenario('enrich', '0.5k', { text: jsonOrders(sizes['0.5k']), type: 'application/json' }),
  { name: 'iterate-5', path: '/mediation/iterate', body: items(5) },
  { name: 'iterate-100', path: '/mediation/iterate', body: items(100) },
  { name: 'clone-2', path: '/mediation/clone-2', body: items(1) },
  { name: 'clone-8', path: '/mediation/clone-8', body: items(1) },
  ...['service', 'service-json'].map((service) => ({
    name: `${service}-0.5k`,
    path: `/services/${service}`,
    body: { text: soapOrders(sizes['0.5k']), type: soapType },
  })),
];

function scenario(flow: string, size: SizeName, body: MediationScenario['body']): MediationScenario {
  return { name: `${flow}-${size}`, path: `/mediation/${flow}`, body };
}

/** The proxy services of the scenarios: one that forwards SOAP, one that forwards it as JSON. */
export function mediationServices(backEnd: number): readonly string[] {
  const endpoint = `<endpoint><address uri="http://127.0.0.1:${backEnd}/accept"/></endpoint>`;
  const toJson = '<property name="messageType" value="application/json" scope="axis2"/>';
  const service = (
    name: string,
    mediators: string,
  ): string => `<proxy xmlns="http://ws.apache.org/ns/synapse" name="${name}">
  <target><inSequence>${mediators}<send>${endpoint}</send></inSequence></target>
</proxy>
`;
  return [service('service', ''), service('service-json', toJson)];
}

/** The API of the scenarios: every flow in a resource of its own, then the back end's answer. */
export function mediationApi(backEnd: number): string {
  const resources = Object.entries(flows).map(
    ([path, mediators]) => `
  <resource methods="POST" uri-template="/${path}">
    <inSequence>${mediators.replaceAll('BACK-END', String(backEnd))}
      <call><endpoint><http method="post" uri-template="http://127.0.0.1:${backEnd}/accept"/></endpoint></call>
      <respond/>
    </inSequence>
  </resource>`,
  );
  return `<api xmlns="http://ws.apache.org/ns/synapse" name="Mediation" context="/mediation">${resources.join('')}\n</api>\n`;
}
