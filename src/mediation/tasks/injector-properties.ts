import { nearestName } from '#errors';
import type { SourceNode } from '#xml';
import { isDeployValue } from '../shared/deploy-value.ts';

export const injectorFormats = ['soap11', 'soap12', 'pox', 'get'] as const;
export type InjectorFormat = (typeof injectorFormats)[number];

const flags = ['true', 'false'] as const;

/** The properties of the injector, with the values that those have which take only some (mediators 11). */
const properties: Readonly<Record<string, readonly string[] | undefined>> = {
  message: undefined,
  registryKey: undefined,
  injectTo: undefined,
  sequenceName: undefined,
  proxyName: undefined,
  to: undefined,
  soapAction: undefined,
  format: injectorFormats,
  sequential: flags,
  invokeHandlers: flags,
};

/** Warns about a property that the injector does not have, and about a value that means nothing. */
export function checkInjectorProperty(node: SourceNode, name: string, value: string | undefined): void {
  if (!Object.hasOwn(properties, name)) {
    const near = nearestName(name, Object.keys(properties));
    node.warn(`the task has no property "${name}"; it is ignored`, {
      attribute: 'name',
      code: 'MR_TASK_PROPERTY',
      ...(near === undefined ? {} : { hint: `did you mean "${near}"?` }),
    });
    return;
  }
  const allowed = properties[name];
  const text = value?.trim() ?? '';
  if (!allowed || text === '' || isDeployValue(text) || allowed.includes(text.toLowerCase())) return;
  node.warn(`"${name}" must be one of ${allowed.join(', ')}; "${text}" means nothing`, { code: 'MR_TASK_PROPERTY' });
}
