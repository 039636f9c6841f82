import { choiceBuiltins } from './choices.ts';
import { dateBuiltins } from './dates.ts';
import { escapeBuiltins } from './escapes.ts';
import { loopBuiltins } from './loops.ts';
import { missingBuiltins } from './missing.ts';
import { nodeBuiltins } from './nodes.ts';
import { numberBuiltins } from './numbers.ts';
import { sequenceBuiltins } from './sequences.ts';
import { textBuiltins } from './texts.ts';
import { typeBuiltins } from './types.ts';
import type { Builtin } from './builtin.ts';

/** Every built-in by its name. */
export const builtins: ReadonlyMap<string, Builtin> = new Map(
  [
    textBuiltins,
    numberBuiltins,
    dateBuiltins,
    sequenceBuiltins,
    typeBuiltins,
    missingBuiltins,
    choiceBuiltins,
    escapeBuiltins,
    loopBuiltins,
    nodeBuiltins,
  ].flatMap((group) => Object.entries(group)),
);
