import { useState } from 'react';
import { ask, messageOf, type ArtifactRow } from './api.ts';
import { artifactPath } from './artifact-path.ts';
import type { BackEndAnswers } from './back-end-answers.ts';
import { usedBy, type Dependencies } from './dependencies.ts';
import { suiteOf, type Expected } from './saved-suite.ts';
import type { TracedRequest } from './trace-model.ts';

interface Named {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

interface Detailed extends ArtifactRow {
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Makes a unit-test suite of a traced request, with the artifacts that it needs, and saves it as a file. */
export function SaveAsTest(props: {
  request: TracedRequest;
  artifact: Named;
  expected: Expected;
  answers: BackEndAnswers;
}) {
  const { request, artifact, expected, answers } = props;
  const [problem, setProblem] = useState<string>();
  const save = async (): Promise<void> => {
    try {
      const source = await sourceOf(artifact);
      const context = contextOf(source);
      const supporting = await supportingSources(artifact);
      const text = suiteOf({ request, source, context, expected, supporting, answers });
      download(`${artifact.name.replaceAll(/[^\w.-]+/g, '-')}-suite.xml`, text);
      setProblem(undefined);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return (
    <>
      <button
        title="A unit-test suite for millrace test; what back ends answered is taken from the trace"
        onClick={() => void save()}
      >
        Save as test
      </button>
      {problem !== undefined && <span role="alert">{problem}</span>}
    </>
  );
}

/** The context of an API, with its version where it names one; a version that follows it belongs to the request's path. */
function contextOf(source: string): string {
  const root = new DOMParser().parseFromString(source, 'application/xml').documentElement;
  if (root.localName !== 'api') return '';
  const context = root.getAttribute('context') ?? '';
  const version = root.getAttribute('version') ?? '';
  return root.getAttribute('version-type') === 'context' ? context.replace('{version}', version) : context;
}

async function sourceOf(artifact: Named): Promise<string> {
  const { detail } = (await ask('GET', artifactPath(artifact))) as Detailed;
  const source = detail['configuration'];
  if (typeof source !== 'string' || source === '') throw new Error(`The runtime shows no source of ${artifact.name}`);
  return source;
}

/** Kinds of artifacts that a suite may bring beside the one that it tests. */
const supportive = ['sequence', 'endpoint', 'localEntry', 'template', 'proxy', 'api'];

/** Sources of everything that an artifact uses, directly or not. */
async function supportingSources({ group, kind, name }: Named): Promise<readonly string[]> {
  const { artifacts, uses } = (await ask('GET', `/dependencies/${encodeURIComponent(group)}`)) as Dependencies;
  const used = usedBy(`${kind}:${name}`, uses);
  const wanted = artifacts.filter((each) => supportive.includes(each.kind) && used.includes(each.key));
  return Promise.all(wanted.map((each) => sourceOf({ group, ...each })));
}

function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/xml' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
