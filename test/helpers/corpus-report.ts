// `node test/helpers/corpus-report.ts`: what the corpus of published artifacts still misses, as JSON.
import process from 'node:process';
import { corpusDirectory, countMissing, hasCorpus, readCorpus } from './corpus.ts';

if (hasCorpus) {
  const files = readCorpus();
  const report = {
    files: files.length,
    deployable: files.filter(({ errors }) => errors.length === 0).length,
    byKind: Object.fromEntries(
      [...new Set(files.map(({ kind }) => kind))].map((kind) => {
        const ofKind = files.filter((file) => file.kind === kind);
        return [kind, { files: ofKind.length, deployable: ofKind.filter(({ errors }) => errors.length === 0).length }];
      }),
    ),
    missing: Object.fromEntries(countMissing(files)),
    missingInApis: Object.fromEntries(countMissing(files.filter(({ kind }) => kind === 'api'))),
  };
  process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
} else {
  process.stderr.write(`There is no corpus at ${corpusDirectory}\n`);
  process.exitCode = 1;
}
