import type { OutputAdapter } from './adapter.ts';
import { emailAdapter } from './email.ts';
import { httpAdapter } from './http.ts';

/** Every adapter, one line each. */
const adapters: ReadonlyMap<string, OutputAdapter> = new Map(
  [emailAdapter, httpAdapter].map((each) => [each.type, each]),
);

export const adapterTypes: readonly string[] = [...adapters.keys()];

/** The adapter of a publisher; undefined for a kind that is not known. */
export function adapterOf({ adapter }: { readonly adapter: string }): OutputAdapter | undefined {
  return adapters.get(adapter);
}
