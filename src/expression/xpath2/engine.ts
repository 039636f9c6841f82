import loadEngine from './load-engine.cjs';
import { registerFunctions } from './functions.ts';

export type Engine = ReturnType<typeof loadEngine>;

let engine: Engine | undefined;

/** The engine with our functions; loaded with the first call. */
export function theEngine(): Engine {
  if (!engine) {
    engine = loadEngine();
    registerFunctions(engine);
  }
  return engine;
}
