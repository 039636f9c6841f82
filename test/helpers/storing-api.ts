import { connectAmqp, type AmqpConnection } from '#transport';
import type { BrokerPeer } from '../peers/activemq.ts';
import { synapse } from './managed-server.ts';

/** The package of the original's stores. */
export const implementations = 'org.apache.synapse.message.store.impl';

/** An API that stores what is posted to it, and answers 503 with what kept it from doing so. */
export const storingApi = (
  name: string,
  store: string,
  before = '',
): string => `<api ${synapse} name="${name}" context="/${name}">
  <resource methods="POST">
    <inSequence>
      <property name="OUT_ONLY" value="true"/>
      <property name="JMS_PROD_PRIORITY" expression="$trp:Priority"/>
      ${before}
      <store messageStore="${store}"/>
      <payloadFactory media-type="json"><format>{"stored": true}</format></payloadFactory>
      <respond/>
    </inSequence>
    <faultSequence>
      <payloadFactory media-type="text"><format>$1</format><args><arg expression="get-property('ERROR_DETAIL')"/></args></payloadFactory>
      <property name="HTTP_SC" value="503" scope="axis2"/>
      <respond/>
    </faultSequence>
  </resource>
</api>`;

export function connectRabbitmq({ port, username, password }: BrokerPeer): Promise<AmqpConnection> {
  return connectAmqp({ host: '127.0.0.1', port, username, password, virtualHost: '/' });
}
