import type { Problem } from '#errors';
import { missingIn, type CorpusFile } from './corpus.ts';

/** Why a published artifact is not deployed. */
export interface RefusalReason {
  readonly title: string;
  /** What errors of that reason say. */
  readonly pattern: RegExp;
}

/** Every reason for which something may be refused, in the order in which they are shown. */
export const refusalReasons: readonly RefusalReason[] = [
  {
    title: 'Inbound endpoints of other protocols are not served yet',
    pattern: /^inbound endpoints of .* are not served/,
  },
  { title: 'Data services are not served yet', pattern: /^<data> is not supported yet|data services are not served/ },
  { title: 'Policies of WS-Security are not applied yet', pattern: /^messages are not secured by policies yet/ },
  { title: 'A Java virtual machine is needed', pattern: /needs a Java virtual machine/ },
  {
    title: 'A Java class is named that nothing stands in for',
    pattern: /is a Java class that nothing stands in for|^The task class \S+ is not known/,
  },
  { title: 'The script is written in E4X', pattern: /E4X/ },
  {
    title: 'The connector is not there; the original refuses it too',
    pattern: /^Unknown mediator .*<[\w-]+\.[\w.-]+>|^there is no connector|<import> is not supported yet/,
  },
  {
    title: 'The file with the addresses of a broker is not there; the original refuses it too',
    pattern: /is neither a broker's address nor a file that can be read/,
  },
  {
    title: 'The WSDL that a service publishes is not there; the original refuses it too',
    pattern: /^The WSDL of the proxy service .* cannot be published: .* cannot be found/,
  },
  {
    title: 'The artifact is malformed; the original refuses it too',
    pattern:
      /^<equal> needs the attribute "value"|^Invalid endpoint configuration|^<endpoint> needs the attribute "name"/,
  },
];

/** The refused files of each reason; what has none of the reasons stands under the text of its error. */
export function refusalsOf(files: readonly CorpusFile[]): ReadonlyMap<string, readonly CorpusFile[]> {
  const refused = files.filter(({ errors }) => errors.length > 0);
  const known = new Map(refusalReasons.map(({ title }): [string, CorpusFile[]] => [title, []]));
  for (const file of refused) {
    const reason = reasonOf(file.errors);
    known.set(reason, [...(known.get(reason) ?? []), file]);
  }
  return new Map([...known].filter(([, found]) => found.length > 0));
}

/** The first reason that one of the errors has. */
function reasonOf(errors: readonly Problem[]): string {
  const known = refusalReasons.find(({ pattern }) => errors.some(({ message }) => pattern.test(message)));
  const [first] = errors;
  return known?.title ?? (first ? missingIn(first) : '');
}
