import process from 'node:process';

/**
 * Where random input begins: the same in each run, so that a change alone can make a test fail. `MILLRACE_FUZZ_SEED`
 * repeats what another seed gave, or looks at a new place each time when it is `random`.
 */
export const fuzzSeed: number = seedOf(process.env['MILLRACE_FUZZ_SEED']);

function seedOf(text: string | undefined): number {
  if (text === 'random') return Math.floor(Math.random() * 2 ** 31);
  return Number(text ?? 20_260_101);
}
