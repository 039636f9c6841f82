/** Bounds of scripts. */
export interface ScriptSettings {
  /** Isolates that are kept for each script. */
  readonly poolSize: number;
  /** Milliseconds that one run may take. */
  readonly timeout: number;
  /** Megabytes that one isolate may use. */
  readonly memory: number;
  /** True when the language `js` behaves as on Rhino. */
  readonly usesRhino: boolean;
}

export const defaultScriptSettings: ScriptSettings = { poolSize: 15, timeout: 10_000, memory: 64, usesRhino: false };
