export { MillraceError, messageOf, toError, type ErrorFacts } from './base.ts';
export { PendingValue } from './pending.ts';
export {
  excerptOf,
  formatPosition,
  formatProblem,
  nearestName,
  ProblemsError,
  type Position,
  type Problem,
} from './problem.ts';
export { protocolStates, synapseCodes, type ProtocolState } from './synapse.ts';
