export { findSuites } from './find-suites.ts';
export { junitOf } from './junit.ts';
export { readSuite, type ReadSuite } from './read-suite.ts';
export { isPassed, isSuitePassed, type CaseResult, type SuiteResult } from './result.ts';
export { runSuite, type SuiteHost } from './run-suite.ts';
export { tableOf } from './table.ts';
