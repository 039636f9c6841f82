import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../helpers/test-dashboard.ts';
import { startManagedServer, synapse } from '../helpers/managed-server.ts';
import { car, zip } from '../helpers/temporary-files.ts';

interface Problem {
  readonly code: string;
  readonly severity: string;
  readonly position: { readonly line: number };
  readonly excerpt: string;
  readonly file: string;
  readonly application?: string;
  readonly runs: readonly string[];
}

test('problems say in which file they are, what runs of it, and to which archive it belongs', async () => {
  await using managed = await startManagedServer();
  const { server } = managed;
  const errors = async (): Promise<readonly Problem[] | undefined> => {
    const { list } = (await managed.read('GET /millrace/problems')) as { list: readonly Problem[] };
    const found = list.filter(({ severity }) => severity === 'error');
    return found.length > 0 ? found : undefined;
  };
  assert.equal(await errors(), undefined);

  const broken = `<endpoint ${synapse} name="Back">\n<http uri-template="http://u:pw@back.example/" wrong="1"><htp/>\n</endpoint>`;
  server.write('artifacts/endpoints/back.xml', broken);
  const [first] = await eventually(errors);
  assert.deepEqual(
    [first?.file, first?.runs, first?.application],
    ['artifacts/endpoints/back.xml', ['endpoint:Back'], undefined],
  );
  assert.doesNotMatch(JSON.stringify(first), /u:pw@/);

  server.write('artifacts/endpoints/back.xml', `<endpoint ${synapse} name="Back"><address uri="http://a"/></endpoint>`);
  await eventually(async () => (await errors()) === undefined);
  const archive = await zip(
    car({
      name: 'Shop',
      parts: [
        {
          name: 'Stray',
          type: 'synapse/sequence',
          files: { 'Stray.xml': `<sequence ${synapse} name="Stray"><nothing/></sequence>` },
        },
      ],
    }),
  );
  server.write('carbonapps/Shop.car', archive);
  const [second] = await eventually(errors);
  assert.deepEqual([second?.application, second?.runs], ['Shop', []]);
  assert.match(second?.file ?? '', /^carbonapps\/Shop\.car!\/.*Stray\.xml$/);
  assert.equal(second?.position.line, 1);
});
