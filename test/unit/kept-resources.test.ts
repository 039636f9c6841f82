import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { buildWorld, createArtifactReader } from '#artifacts';
import { configureLog } from '#core';
import { prepareInProcess } from '../helpers/in-process.ts';
import { writeFiles } from '../helpers/temporary-files.ts';

after(() => configureLog({ level: 'info', format: 'json' }));

type Files = Readonly<Record<string, string>>;

/** What a flow answers before and after files of the registry were written anew, without another deployment. */
async function answers(
  steps: string,
  { first, second, body }: { first: Files; second: Files; body: string },
): Promise<readonly string[]> {
  const { worldSettings, exchangeIn } = prepareInProcess({ scripts: [] });
  const directory = mkdtempSync(join(tmpdir(), 'millrace-kept-'));
  const text = `<api xmlns="http://ws.apache.org/ns/synapse" name="A" context="/a"><resource methods="POST"><inSequence>
  ${steps}<respond/></inSequence></resource></api>`;
  const files = [{ file: 'a.xml', text }];
  const roots = [{ mount: '/_system/governance', directory }];
  const sources = { files, packed: [], roots, definitions: new Map(), problems: [] };
  writeFiles(directory, first);
  const { world, problems } = buildWorld(sources, worldSettings, createArtifactReader(worldSettings.kinds));
  assert.deepEqual(problems, []);
  const ask = async (): Promise<string> => {
    const request = `POST /a HTTP/1.1\nHost: test\nContent-Type: application/xml\n\n${body}`;
    const answer = await exchangeIn(() => world)(request, 'http');
    return answer.slice(answer.indexOf('<'));
  };
  const before = await ask();
  writeFiles(directory, second);
  const now = await ask();
  await world.stop();
  rmSync(directory, { recursive: true });
  return [before.trim(), now.trim()];
}

const transform = 'xmlns:xsl="http://www.w3.org/1999/XSL/Transform"';
/** A stylesheet that imports another one, and two versions of that. */
const stylesheets = {
  first: {
    'main.xsl': `<xsl:stylesheet version="1.0" ${transform}><xsl:import href="part.xsl"/></xsl:stylesheet>`,
    'part.xsl': `<xsl:stylesheet version="1.0" ${transform}><xsl:template match="/"><old/></xsl:template></xsl:stylesheet>`,
  },
  second: {
    'part.xsl': `<xsl:stylesheet version="1.0" ${transform}><xsl:template match="/"><new/></xsl:template></xsl:stylesheet>`,
  },
  body: '<a/>',
};

test('a stylesheet is compiled once, with what it imports', async () => {
  const found = await answers('<xslt key="gov:main.xsl"/>', stylesheets);
  assert.deepEqual(found, ['<old/>', '<old/>']);
});

test('with useCache false a stylesheet is compiled for each message', async () => {
  const found = await answers('<xslt key="gov:main.xsl" useCache="false"/>', stylesheets);
  assert.deepEqual(found, ['<old/>', '<new/>']);
});

const schema = 'xmlns:xs="http://www.w3.org/2001/XMLSchema"';
/** A schema that includes another one, of which the second version does not take the message. */
const schemas = {
  first: {
    'main.xsd': `<xs:schema ${schema}><xs:include schemaLocation="part.xsd"/></xs:schema>`,
    'part.xsd': `<xs:schema ${schema}><xs:element name="a" type="xs:string"/></xs:schema>`,
  },
  second: { 'part.xsd': `<xs:schema ${schema}><xs:element name="a" type="xs:int"/></xs:schema>` },
  body: '<a>word</a>',
};
const validate = (attribute: string): string =>
  `<validate ${attribute}><schema key="gov:main.xsd"/><on-fail><payloadFactory media-type="xml"><format><refused xmlns=""/></format></payloadFactory></on-fail></validate>`;

test('a schema is compiled once, with what it includes', async () => {
  assert.deepEqual(await answers(validate(''), schemas), ['<a>word</a>', '<a>word</a>']);
});

test('with cache-schema false a schema is compiled for each message', async () => {
  assert.deepEqual(await answers(validate('cache-schema="false"'), schemas), ['<a>word</a>', '<refused xmlns=""/>']);
});
