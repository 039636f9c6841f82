/** What a checker found in order, by the names under which the answer gives it. */
export type HealthProperties = Readonly<Record<string, string>>;

/** One thing that is not in order, as the answer gives it: without secrets. */
export interface HealthError {
  /** Of the original's `HC_` codes where it has one. */
  readonly code: string;
  readonly message: string;
  readonly description: string;
  /** What it comes from, for the log only. */
  readonly cause?: unknown;
}

/** What one run of a checker gave. It is healthy when there are no errors. */
export interface HealthFindings {
  readonly properties: HealthProperties;
  readonly errors: readonly HealthError[];
}

/** A named part of the health check; one that throws or hangs counts as failed. */
export interface HealthChecker {
  readonly name: string;
  /** Lower runs first. */
  readonly order: number;
  check(): Promise<HealthFindings>;
}

/** Codes of the original's health API. */
export const healthCodes = {
  connectivity: 'HC_00001',
  poolUsage: 'HC_00002',
  userStore: 'HC_00003',
  notRunning: 'HC_00004',
  listingUserStores: 'HC_00005',
} as const;

/** The findings of several parts as those of one. */
export function joinFindings(findings: readonly HealthFindings[]): HealthFindings {
  return {
    properties: Object.assign({}, ...findings.map(({ properties }) => properties)) as HealthProperties,
    errors: findings.flatMap(({ errors }) => errors),
  };
}
