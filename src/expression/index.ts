export type { PropertyScope, Scope } from './scope.ts';
