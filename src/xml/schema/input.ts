import { xmlRegisterInputProvider } from 'libxml2-wasm';

interface OpenText {
  readonly bytes: Uint8Array;
  position: number;
}

let texts: ReadonlyMap<string, string> = new Map();
const open = new Map<number, OpenText>();
let lastHandle = 0;

/** Everything that the library wants to read comes from here: it has no file and no network. */
xmlRegisterInputProvider({
  match: () => true,
  open(location) {
    const text = texts.get(location);
    if (text === undefined) return undefined;
    open.set(++lastHandle, { bytes: Buffer.from(text), position: 0 });
    return lastHandle;
  },
  read(handle, buffer) {
    const text = open.get(handle);
    if (!text) return -1;
    const part = text.bytes.subarray(text.position, text.position + buffer.length);
    buffer.set(part);
    text.position += part.length;
    return part.length;
  },
  close: (handle) => open.delete(handle),
});

/** Runs `action` while the library can read these texts by their locations, and nothing else. */
export function withTexts<T>(readable: ReadonlyMap<string, string>, action: () => T): T {
  texts = readable;
  try {
    return action();
  } finally {
    texts = new Map();
  }
}
