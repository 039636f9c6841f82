import type { ArtifactFile } from '#artifacts';

/** Sequences that exist without a file (runtime-core 1.4): what no API takes is 404, answers go to
 * the client, and what fails is logged. */
export const builtInArtifacts: readonly ArtifactFile[] = [
  {
    file: 'built-in/main.xml',
    text: `<sequence xmlns="http://ws.apache.org/ns/synapse" name="main">
  <in>
    <property name="NO_ENTITY_BODY" value="true" scope="axis2" type="BOOLEAN"/>
    <property name="HTTP_SC" value="404" scope="axis2"/>
    <respond/>
  </in>
  <out>
    <send/>
  </out>
</sequence>
`,
  },
  {
    file: 'built-in/fault.xml',
    text: `<sequence xmlns="http://ws.apache.org/ns/synapse" name="fault">
  <log level="custom" category="WARN">
    <property name="MESSAGE" value="Executing default 'fault' sequence"/>
    <property name="ERROR_CODE" expression="get-property('ERROR_CODE')"/>
    <property name="ERROR_MESSAGE" expression="get-property('ERROR_MESSAGE')"/>
  </log>
  <drop/>
</sequence>
`,
  },
];
