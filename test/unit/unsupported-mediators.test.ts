import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readArtifacts } from '#artifacts';
import { parseXml, serializeXml } from '#xml';
import { artifactKinds } from '../../src/server/artifact-kinds.ts';
import { canonicalLines } from '../helpers/canonical-xml.ts';

const mediators: Readonly<Record<string, string>> = {
  annotatedCommand: '<annotatedCommand name="com.acme.C"/>',
  bean: '<bean var="x" action="SET_PROPERTY" property="p" value="{//o:id}"/>',
  ejb: '<ejb beanstalk="b" class="com.acme.E" method="m" target="t"><args><arg value="{//o:id}"/></args></ejb>',
  smooks: '<smooks config-key="k"><input type="xml" expression="//o:a"/><output type="text"/></smooks>',
  spring: '<spring bean="b" key="k"/>',
};

for (const [element, xml] of Object.entries(mediators)) {
  test(`<${element}> is written back as it was, and refused with a hint`, () => {
    const text = `<sequence xmlns="http://ws.apache.org/ns/synapse" xmlns:o="urn:o" name="s">${xml}</sequence>`;
    const { artifacts, problems } = readArtifacts(text, 's.xml', artifactKinds);
    assert.deepEqual(
      problems.map(({ code, severity, hint }) => [code, severity, hint !== undefined]),
      [['MR_MEDIATOR_UNSUPPORTED', 'error', true]],
    );
    const [artifact] = artifacts;
    assert.ok(artifact);
    const written = serializeXml(artifact.serialize());
    assert.deepEqual(canonicalLines(parseXml(written).root), canonicalLines(parseXml(text).root));
    assert.match(written, /xmlns:o="urn:o"/);
  });
}
