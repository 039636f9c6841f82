/** Streams of the identity events (identity 6.10). */
export const mailStream = 'id_gov_notify_stream:1.0.0';
export const smsStream = 'id_gov_sms_notify_stream:1.0.0';

const namespace = 'http://wso2.org/carbon/eventpublisher';

/** What a new home gets in `eventpublishers`. */
export const shippedPublishers: Readonly<Record<string, string>> = {
  'EmailPublisher.xml': `<eventPublisher name="EmailPublisher" statistics="disable" trace="disable" xmlns="${namespace}">
  <from streamName="id_gov_notify_stream" version="1.0.0"/>
  <mapping customMapping="enable" type="text">
    <inline>{{body}}{{footer}}</inline>
  </mapping>
  <to eventAdapterType="email">
    <property name="email.address">{{send-to}}</property>
    <property name="email.type">{{content-type}}</property>
    <property name="email.subject">{{subject}}</property>
  </to>
</eventPublisher>
`,
  'SMSPublisher.xml': `<eventPublisher name="SMSPublisher" statistics="disable" trace="disable" processing="enable" xmlns="${namespace}">
  <from streamName="id_gov_sms_notify_stream" version="1.0.0"/>
  <mapping customMapping="enable" type="json">
    <inline>{}</inline>
  </mapping>
  <to eventAdapterType="http">
    <property name="http.client.method">HttpPost</property>
    <property name="http.url"></property>
  </to>
</eventPublisher>
`,
};

/** What a new home gets in `eventstreams`. */
export const shippedStreams: Readonly<Record<string, string>> = {
  'id_gov_notify_stream_1.0.0.json': '{\n  "name": "id_gov_notify_stream",\n  "version": "1.0.0"\n}\n',
  'id_gov_sms_notify_stream_1.0.0.json': '{\n  "name": "id_gov_sms_notify_stream",\n  "version": "1.0.0"\n}\n',
};
