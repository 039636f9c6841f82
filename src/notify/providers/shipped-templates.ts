/** Body templates of the providers that are known (identity 6.8), by the provider's name. */
export const shippedTemplates: Readonly<Record<string, string>> = {
  Vonage: vonage(),
  NEXMO: vonage(),
  Twilio: 'Body={{body}},To={{mobile}},From=$sender',
  Bulksms: '[{"from": "$sender", "to": {{mobile}}, "body": {{body}}}]',
  Plivo: '{"src": "$sender", "dst": {{mobile}}, "text": {{body}}}',
  Clickatell: '{"text": {{body}}, "to": [{{mobile}}]}',
};

/** The older name of the provider Vonage has the same template. */
function vonage(): string {
  return '{"from": "$sender", "text": {{body}}, "to": {{mobile}}, "api_key": "$key", "api_secret": "$secret"}';
}

/** What a new home gets as `conf/sms/sms-providers-api-body-templates.xml`. */
export const shippedTemplatesFile = `<?xml version="1.0" encoding="UTF-8"?>
<!-- One body per provider of SMS. {{mobile}} and {{body}} are recipient and text of the message; $key, $secret, $sender
     and $body.<name> come from the sender that names the provider. -->
<configurations>
${Object.entries(shippedTemplates)
  .map(
    ([name, body]) =>
      `  <configuration provider="${name}">\n    <body><![CDATA[${body}]]></body>\n  </configuration>\n`,
  )
  .join('')}</configurations>
`;
