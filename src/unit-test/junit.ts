import { formatPosition, formatProblem } from '#errors';
import { appendChild, isXmlText, serializeXml, XmlElement, XmlText } from '#xml';
import { isPassed, type CaseResult, type SuiteResult } from './result.ts';
import { describeFailure } from './table.ts';

/** Results in the XML form that build servers read. */
export function junitOf(results: readonly SuiteResult[]): string {
  const root = element('testsuites');
  for (const result of results) appendChild(root, suiteElement(result));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${serializeXml(root)}\n`;
}

function suiteElement({ file, ran, problems, cases, coverage }: SuiteResult): XmlElement {
  const failed = cases.filter((result) => result.failures.length > 0).length;
  const broken = cases.filter(({ error }) => error !== undefined).length + (ran ? 0 : 1);
  const suite = element('testsuite', {
    name: file,
    tests: String(cases.length + (ran ? 0 : 1)),
    failures: String(failed),
    errors: String(broken),
    time: seconds(cases.reduce((sum, { duration }) => sum + duration, 0)),
  });
  if (coverage.length > 0) {
    const properties = element('properties');
    for (const { artifact, executed, total } of coverage) {
      appendChild(properties, element('property', { name: `coverage:${artifact}`, value: `${executed}/${total}` }));
    }
    appendChild(suite, properties);
  }
  if (!ran) {
    const test = element('testcase', { classname: file, name: 'deployment', time: '0.000' });
    appendChild(test, failure('error', problems.map((problem) => formatProblem(problem)).join('\n')));
    appendChild(suite, test);
  }
  for (const result of cases) appendChild(suite, caseElement(file, result));
  return suite;
}

function caseElement(file: string, result: CaseResult): XmlElement {
  const { name, position, duration, error, failures } = result;
  const test = element('testcase', { classname: file, name, time: seconds(duration) });
  if (isPassed(result)) return test;
  if (error !== undefined) appendChild(test, failure('error', `${formatPosition(position)}: ${error}`));
  for (const each of failures) appendChild(test, failure('failure', describeFailure(each)));
  return test;
}

function failure(local: string, text: string): XmlElement {
  const written = element(local, { message: printable(text.split('\n', 1)[0] ?? '') });
  appendChild(written, new XmlText(printable(text)));
  return written;
}

function element(local: string, attributes: Readonly<Record<string, string>> = {}): XmlElement {
  const made = new XmlElement(local);
  for (const [name, value] of Object.entries(attributes)) {
    made.attributes.push({ prefix: '', local: name, uri: '', value: printable(value) });
  }
  return made;
}

/** Characters that XML cannot hold are shown as such. */
function printable(text: string): string {
  return isXmlText(text)
    ? text
    : Array.from(text, (character) => (isXmlText(character) ? character : '\uFFFD')).join('');
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}
