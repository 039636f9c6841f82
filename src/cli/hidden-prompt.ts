import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Asks on the terminal without showing what is typed; undefined where no terminal is there to ask on. */
export const hiddenPrompt: ((question: string) => Promise<string>) | undefined = process.stdin.isTTY
  ? askHidden
  : undefined;

async function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
