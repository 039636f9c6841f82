import { useSyncExternalStore } from 'react';

/** Live updates are taken while nobody has paused them; meanwhile what happened is counted. */
interface LiveState {
  readonly isPaused: boolean;
  /** Changes that came since the pause began. */
  readonly newer: number;
}

let state: LiveState = { isPaused: false, newer: 0 };
const watchers = new Set<() => void>();
const reloads = new Set<() => void>();

function set(next: LiveState): void {
  state = next;
  for (const watcher of watchers) watcher();
}

function reloadAll(): void {
  for (const reload of reloads) reload();
}

/** Something happened: pages ask anew, or the pause counts it. */
export function announceChange(): void {
  if (state.isPaused) set({ ...state, newer: state.newer + 1 });
  else reloadAll();
}

/** Stops live updates, or goes on with what came meanwhile. */
export function setPaused(isPaused: boolean): void {
  set({ isPaused, newer: 0 });
  if (!isPaused) reloadAll();
}

/** Shows what came during the pause, and stays paused. */
export function takeNewer(): void {
  set({ ...state, newer: 0 });
  reloadAll();
}

/** True while a page may ask by itself: nobody paused it, and it is seen. */
export function isLive(): boolean {
  return !state.isPaused && document.visibilityState === 'visible';
}

/** Calls `load` every so many seconds while the page is live, and when something happened; ends with what it returns. */
export function keepLoading(load: () => void, seconds: number): () => void {
  const timer = setInterval(() => {
    if (isLive()) load();
  }, seconds * 1000);
  reloads.add(load);
  return () => {
    clearInterval(timer);
    reloads.delete(load);
  };
}

export function useLive(): LiveState {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => state,
  );
}
