import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { configureLog } from '#core';
import { countMissing, explain, hasCorpus, readCorpus, tableOf } from '../helpers/corpus.ts';
import { askInTime, deployWith, supportingFiles, unhandledIn } from '../helpers/corpus-run.ts';
import { requestsFor, sampleBodies } from '../helpers/generated-requests.ts';

const skip = hasCorpus ? false : 'the corpus of published artifacts is not beside the repository';
const corpus = hasCorpus ? readCorpus() : [];
const apis = corpus.filter(({ kind }) => kind === 'api');
const deployable = apis.filter(({ errors }) => errors.length === 0);

const supporting = supportingFiles(corpus);

/** What every back end answers, whatever is asked. */
const answers = {
  json: '200 OK\nContent-Type: application/json\n\n{"name":"Bob","id":8,"items":[{"id":3}],"main":{"temp":280.5}}',
  xml: '200 OK\nContent-Type: application/xml\n\n<r><name>Bob</name><id>8</id></r>',
} as const;

after(() => configureLog({ level: 'info', format: 'json' }));

test('at least 30 of the 55 published APIs deploy', { skip }, (t) => {
  t.diagnostic(`${deployable.length} of ${apis.length} APIs deploy`);
  t.diagnostic(`missing in APIs:\n${tableOf(countMissing(apis))}`);
  t.diagnostic(`missing in all ${corpus.length} files:\n${tableOf(countMissing(corpus))}`);
  assert.equal(apis.length, 55);
  assert.ok(deployable.length >= 30, `only ${deployable.length} deploy`);
});

for (const file of apis.filter(({ errors }) => errors.length > 0)) {
  test(`${file.file} does not deploy, and says where and why`, () => {
    for (const { position } of file.errors) {
      assert.equal(position?.file, file.file);
      assert.ok(position.line > 0 && position.column > 0);
    }
    assert.match(explain(file), /:\d+:\d+: error: .*(<[\w.:-]+>|"[^"]+"|FreeMarker)/);
  });
}

for (const file of deployable) {
  for (const body of Object.keys(sampleBodies) as (keyof typeof sampleBodies)[]) {
    test(`${file.file} answers every resource with ${body} bodies`, async () => {
      const runtime = deployWith([file], supporting, [{ match: '*', text: answers[body] }]);
      const [artifact] = file.artifacts;
      assert.ok(artifact && runtime.deployed.includes(artifact.key), `${file.file} was not deployed`);
      for (const request of requestsFor(file.text, body)) {
        runtime.lines.length = 0;
        const answer = await askInTime(runtime, request.text, request.line.startsWith('https ') ? 'https' : 'http');
        assert.match(answer, /^[2-5]\d\d\b/, request.line);
        assert.deepEqual(unhandledIn(runtime), [], `${request.line} ended in an internal error`);
        assert.ok(!/^(404|405)\b/.test(answer) || file.text.includes(answer.slice(0, 3)), `${request.line}: ${answer}`);
      }
    });
  }
}
