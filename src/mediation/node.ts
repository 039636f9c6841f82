// What the processes of a node have in common, for the one that holds it and mediates nothing itself.
export { createThrottles } from './shared/throttle-counter.ts';
export { MemoryQueue } from './stores/memory-queue.ts';
