/** What people have switched on or off since the start; it outlives worlds and is forgotten with the process. */
export interface Switches {
  /** Undefined for an artifact about which nobody has decided. */
  state(key: string): boolean | undefined;
  set(key: string, isOn: boolean): void;
}

export function createSwitches(): Switches {
  const states = new Map<string, boolean>();
  return { state: (key) => states.get(key), set: (key, isOn) => void states.set(key, isOn) };
}
