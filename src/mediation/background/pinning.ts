import type { BackgroundServices } from './services.ts';

/** The names in a list of servers, between commas or blanks: proxies, tasks, processors and inbound endpoints. */
export function readServerNames(text: string | undefined): readonly string[] {
  return (text ?? '').split(/[\s,]+/).filter((name) => name !== '');
}

/** Whether what is pinned to these servers runs on this one; without names it runs everywhere (runtime-core 1.2). */
export function isPinnedHere(
  pinnedServers: readonly string[],
  { serverNames }: Pick<BackgroundServices, 'serverNames'>,
): boolean {
  return pinnedServers.length === 0 || pinnedServers.some((name) => serverNames.includes(name));
}
