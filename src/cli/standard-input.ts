import process from 'node:process';

/** The whole of standard input, as text. */
export async function readStandardInput(): Promise<string> {
  let text = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) text += String(chunk);
  return text;
}

/** The first line of standard input. */
export async function readFirstLine(): Promise<string> {
  return (await readStandardInput()).split(/\r?\n/, 1)[0] ?? '';
}
