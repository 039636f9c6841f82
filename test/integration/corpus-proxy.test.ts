import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { configureLog } from '#core';
import { countMissing, hasCorpus, readCorpus, tableOf } from '../helpers/corpus.ts';
import { askInTime, deployWith, supportingFiles, unhandledIn } from '../helpers/corpus-run.ts';
import { addressOfProxy, requestsForService, type GeneratedRequest } from '../helpers/generated-requests.ts';
import type { InProcessRuntime } from '../helpers/in-process.ts';
import { answerStockQuote } from '../helpers/stock-quote-service.ts';

const skip = hasCorpus ? false : 'the corpus of published artifacts is not beside the repository';
const corpus = hasCorpus ? readCorpus() : [];
const proxies = corpus.filter(({ kind }) => kind === 'proxy');
const deployable = proxies.filter(({ errors }) => errors.length === 0);
const sequences = corpus.filter(({ kind, errors }) => kind === 'sequence' && errors.length === 0);
const supporting = supportingFiles(corpus);

/** Every back end is a stock-quote service; what is no XML gets JSON. */
const scripts = [
  {
    match: '*',
    text: (request: { line: string; body: string }) =>
      /^\s*</.test(request.body) || request.line.includes('?wsdl')
        ? answerStockQuote(request)
        : '200 OK\nContent-Type: application/json\n\n{"name":"Bob","id":8}',
  },
];

after(() => configureLog({ level: 'info', format: 'json' }));

/** Every request has an answer, and none of them is an error of the engine. */
async function askAll(
  runtime: InProcessRuntime,
  requests: readonly GeneratedRequest[],
  scheme: 'http' | 'https',
): Promise<void> {
  for (const { line, text } of requests) {
    runtime.lines.length = 0;
    const answer = await askInTime(runtime, text, scheme);
    assert.match(answer, /^[2-5]\d\d\b/, line);
    assert.doesNotMatch(answer, /^404\b/, `${line} found nothing`);
    assert.doesNotMatch(answer, /Internal error/, line);
    assert.deepEqual(unhandledIn(runtime), [], `${line} ended in an internal error`);
  }
}

test('at least 40 of the 54 published proxy services deploy', { skip }, (t) => {
  t.diagnostic(`${deployable.length} of ${proxies.length} proxy services deploy`);
  t.diagnostic(`missing in proxy services:\n${tableOf(countMissing(proxies))}`);
  assert.equal(proxies.length, 54);
  assert.ok(deployable.length >= 40, `only ${deployable.length} deploy`);
});

for (const file of deployable) {
  test(`${file.file} answers SOAP, plain XML, JSON and GET`, async (t) => {
    const runtime = deployWith([file], supporting, scripts);
    const [artifact] = file.artifacts;
    assert.ok(artifact);
    if (!runtime.deployed.includes(artifact.key)) {
      // A WSDL or template that was published without its files is a finding with a place, not a crash.
      const own = runtime.problems.filter(({ position }) => position?.file === file.file);
      assert.ok(own.some(({ severity }) => severity === 'error'));
      t.diagnostic(own.map(({ message }) => message).join('; '));
      return;
    }
    const { path, isSecure } = addressOfProxy(file.text);
    await askAll(runtime, requestsForService(path), isSecure ? 'https' : 'http');
  });
}

for (const file of sequences) {
  const [artifact] = file.artifacts;
  if (!artifact) continue;
  test(`${file.file} ends in an answer behind a proxy service`, async () => {
    const text = `<proxy xmlns="http://ws.apache.org/ns/synapse" name="RunsSequence">
  <target><inSequence><sequence key="${artifact.name}"/></inSequence><outSequence><send/></outSequence></target>
</proxy>`;
    const runtime = deployWith([{ file: 'runs-sequence.xml', text }, file], supporting, scripts);
    assert.ok(runtime.deployed.includes(artifact.key), `${file.file} was not deployed`);
    await askAll(runtime, requestsForService('/services/RunsSequence'), 'http');
  });
}
