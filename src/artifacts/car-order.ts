import type { Problem } from '#errors';
import type { Application } from './car.ts';

/**
 * The order in which applications are deployed: by their dependencies when every one has a descriptor, else as given
 * (by file name). Applications that are broken, come twice, or miss a dependency are left out with a problem.
 */
export function orderApplications(applications: readonly Application[]): {
  applications: Application[];
  problems: Problem[];
} {
  const problems: Problem[] = [];
  const refuse = (application: Application, message: string): void => {
    const position = { file: application.file, line: 1, column: 1 };
    problems.push({
      code: 'MR_APPLICATION_INVALID',
      severity: 'error',
      message: `${application.id}: ${message}`,
      position,
    });
  };
  const byId = new Map<string, Application>();
  for (const application of applications) {
    if (application.problems.some((problem) => problem.severity === 'error')) continue;
    if (byId.has(application.id)) refuse(application, 'an application of this name and version is deployed already');
    else byId.set(application.id, application);
  }
  const usable = [...byId.values()];
  const withoutDescriptor = usable.filter(({ dependsOn }) => !dependsOn);
  if (withoutDescriptor.length > 0) {
    if (withoutDescriptor.length < usable.length) problems.push(noOrder(withoutDescriptor));
    return { applications: usable, problems };
  }

  const ordered: Application[] = [];
  const state = new Map<string, 'visiting' | 'done' | 'refused'>();
  const visit = (application: Application): boolean => {
    const known = state.get(application.id);
    if (known) return known === 'done';
    state.set(application.id, 'visiting');
    for (const id of application.dependsOn ?? []) {
      const dependency = byId.get(id);
      if (!dependency || !visit(dependency)) {
        const isCycle = dependency && state.get(id) === 'visiting';
        refuse(application, isCycle ? `it depends on itself through ${id}` : `its dependency ${id} is not there`);
        state.set(application.id, 'refused');
        return false;
      }
    }
    state.set(application.id, 'done');
    ordered.push(application);
    return true;
  };
  for (const application of usable) visit(application);
  return { applications: ordered, problems };
}

/** Dependencies count only when every application names its own. */
function noOrder(applications: readonly Application[]): Problem {
  const names = applications.map(({ id }) => id).join(', ');
  return {
    code: 'MR_APPLICATION_ORDER',
    severity: 'warning',
    message: `applications are deployed by file name, because these have no descriptor.xml: ${names}`,
    position: { file: applications[0]?.file ?? '', line: 1, column: 1 },
  };
}
