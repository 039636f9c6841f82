import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';

/**
 * The tokens that a process of `token-issuer.ts` answered with before it was killed, some time after its first one.
 *
 * @param given what the process is started with: the database, the name of a user, and the account where one is needed
 */
export async function killWhileIssuing(...given: readonly string[]): Promise<readonly string[]> {
  const program = join(import.meta.dirname, 'token-issuer.ts');
  const child = spawn(process.execPath, [program, ...given], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (text === '') setTimeout(() => child.kill('SIGKILL'), 5 + Math.random() * 60);
    text += chunk;
  });
  await ended;
  return text.split('\n').slice(0, -1);
}
