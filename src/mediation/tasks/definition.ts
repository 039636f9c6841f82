import { isModuleSpecifier } from '#core';
import { compileQuartzCron } from '#core/java';
import { MillraceError, messageOf, type Position } from '#errors';
import { appendChild, cloneNode, firstElement, type SourceNode, type XmlElement } from '#xml';
import { readServerNames } from '../background/pinning.ts';
import type { CompileContext, CompileLibrary } from '../context.ts';
import { synapseElement } from '../reading.ts';
import { resolveDeployValue } from '../shared/deploy-value.ts';
import type { Timing } from '../background/schedule.ts';
import { checkInjectorProperty } from './injector-properties.ts';

export const injectorClass = 'org.apache.synapse.startup.tasks.MessageInjector';

/** A `<property>` of a task: a text or an XML element. */
export interface TaskProperty {
  readonly name: string;
  readonly value: string | undefined;
  readonly element: XmlElement | undefined;
}

/** A `<task>`, its texts as they are written. */
export interface TaskDefinition {
  readonly name: string;
  readonly className: string | undefined;
  readonly group: string | undefined;
  readonly pinnedServers: string | undefined;
  readonly trigger: TriggerTexts | undefined;
  readonly properties: readonly TaskProperty[];
  readonly position: Position;
}

interface TriggerTexts {
  readonly interval: string | undefined;
  readonly count: string | undefined;
  readonly cron: string | undefined;
  readonly once: string | undefined;
}

/** A task with everything resolved that is known when it is deployed. */
export interface CompiledTask {
  readonly name: string;
  readonly group: string;
  readonly className: string;
  /** The module of a task of one's own; undefined for the injector. */
  readonly module: string | undefined;
  readonly timing: Timing;
  /** Servers that may run it; all when empty. */
  readonly pinnedServers: readonly string[];
  readonly properties: ReadonlyMap<string, string | XmlElement>;
}

const triggerAttributes = ['interval', 'count', 'cron', 'once'] as const;

export function parseTask(node: SourceNode): TaskDefinition {
  node.knowOnly(['name', 'class', 'group', 'pinnedServers', 'description']);
  node.knowOnlyChildren(['trigger', 'property', 'description']);
  const triggerNode = node.child('trigger');
  triggerNode?.knowOnly(triggerAttributes);
  const trigger = triggerNode && {
    interval: triggerNode.attribute('interval'),
    count: triggerNode.attribute('count'),
    cron: triggerNode.attribute('cron'),
    once: triggerNode.attribute('once'),
  };
  if (trigger?.once !== undefined && !/^(?:true|false|\$.*)$/.test(trigger.once)) {
    triggerNode?.warn(`"once" must be true or false; "${trigger.once}" means false`, { attribute: 'once' });
  }
  // What stands for other texts is resolved later; everything else is checked where it is written.
  if (triggerNode && trigger && !Object.values(trigger).some((text) => text?.includes('$'))) {
    try {
      readTiming(trigger, 'UTC');
    } catch (error) {
      triggerNode.error(messageOf(error), { code: 'MR_TASK_TRIGGER' });
    }
  }
  const definition: TaskDefinition = {
    name: node.attribute('name') ?? '',
    className: node.attribute('class'),
    group: node.attribute('group'),
    pinnedServers: node.attribute('pinnedServers'),
    trigger,
    properties: node.childrenNamed('property').map(readProperty),
    position: node.position(),
  };
  if ((definition.className ?? injectorClass) === injectorClass) checkInjector(node, definition);
  return definition;
}

function readProperty(node: SourceNode): TaskProperty {
  const hasExpression = node.attribute('expression') !== undefined;
  if (hasExpression) {
    node.error('a property of a task has a "value" or an XML child; expressions have no message to read', {
      attribute: 'expression',
      code: 'MR_TASK_PROPERTY',
    });
  }
  const element = firstElement(node.element);
  const value = node.attribute('value') ?? (element || node.text() === '' ? undefined : node.text());
  if (value === undefined && !element && !hasExpression)
    node.error('a property of a task needs a "value" or an XML child');
  return { name: node.required('name'), value, element: element && cloneNode(element) };
}

/** Reports what the injector cannot do without (mediators 11). */
function checkInjector(node: SourceNode, { properties }: TaskDefinition): void {
  const textOf = (name: string): string | undefined =>
    properties.find((property) => property.name === name)?.value?.trim();
  const has = (name: string): boolean => properties.some((property) => property.name === name);
  for (const child of node.childrenNamed('property')) {
    const name = child.attribute('name');
    if (name !== undefined) checkInjectorProperty(child, name, textOf(name));
  }
  const target = (textOf('injectTo') ?? 'main').toLowerCase();
  if (!['main', 'sequence', 'proxy'].includes(target) && !target.includes('$')) {
    node.error(`"injectTo" must be main, sequence or proxy, found "${target}"`, { code: 'MR_TASK_PROPERTY' });
  }
  if (target === 'sequence' && !has('sequenceName')) missing(node, 'sequenceName');
  if (target === 'proxy' && !has('proxyName')) missing(node, 'proxyName');
  if (target === 'proxy' && !has('message')) missing(node, 'message');
  if (!has('message') && !has('registryKey')) missing(node, 'message');
}

function missing(node: SourceNode, name: string): void {
  node.error(`the task needs the property "${name}"`, { code: 'MR_TASK_PROPERTY' });
}

export function serializeTask(definition: TaskDefinition): XmlElement {
  const { name, className, group, pinnedServers, trigger, properties } = definition;
  const element = synapseElement('task', { name, class: className, group, pinnedServers });
  if (trigger) appendChild(element, synapseElement('trigger', { ...trigger }));
  for (const property of properties) {
    const child = synapseElement('property', { name: property.name, value: property.value });
    if (property.element) appendChild(child, cloneNode(property.element));
    appendChild(element, child);
  }
  return element;
}

/** Resolves a task. @throws MillraceError for a trigger or a class that cannot be used */
export function compileTask(definition: TaskDefinition, { library, services }: CompileContext): CompiledTask {
  const { name, className = injectorClass, group, pinnedServers, trigger } = definition;
  const classMap = services.extensions?.classMap ?? {};
  return {
    name,
    className,
    group: group ?? 'synapse.simple.quartz',
    module: className === injectorClass ? undefined : moduleOf(className, classMap),
    timing: readTiming(resolveAll(trigger, library), services.settings.timeZone ?? 'UTC'),
    pinnedServers: readServerNames(pinnedServers),
    properties: new Map(
      definition.properties.map(({ name: property, value, element }) => [
        property,
        value === undefined ? (element ?? '') : resolveDeployValue(value, library),
      ]),
    ),
  };
}

function resolveAll(trigger: TriggerTexts | undefined, library: CompileLibrary): TriggerTexts | undefined {
  const resolved = (text: string | undefined): string | undefined => text && resolveDeployValue(text, library);
  return (
    trigger && {
      interval: resolved(trigger.interval),
      count: resolved(trigger.count),
      cron: resolved(trigger.cron),
      once: resolved(trigger.once),
    }
  );
}

function moduleOf(className: string, classMap: Readonly<Record<string, string>>): string {
  if (Object.hasOwn(classMap, className)) return classMap[className] ?? '';
  if (isModuleSpecifier(className)) return className;
  throw new MillraceError({
    code: 'MR_TASK_CLASS',
    message: `The task class ${className} is not known; name a module for it under [millrace.class_map]`,
  });
}

/** Reads a trigger: a period, a cron expression, or one run (runtime-core 1.3). */
function readTiming(trigger: TriggerTexts | undefined, zone: string): Timing {
  const { interval, count, cron, once } = trigger ?? {};
  if (cron !== undefined) {
    if (interval !== undefined) throw refused('"cron" and "interval" exclude each other');
    compileQuartzCron(cron, zone);
    return { cron, zone };
  }
  const seconds = interval === undefined ? undefined : wholeNumber('interval', interval);
  const runs = count === undefined ? undefined : wholeNumber('count', count, -1);
  if (seconds === undefined && runs !== undefined && runs > 1) throw refused('"count" needs an "interval"');
  if (seconds === undefined || once === 'true') {
    return { interval: 1000, count: 1, delay: once === 'true' ? 1000 : 0 };
  }
  // A count below one means without end, as its absence does.
  return {
    interval: seconds * 1000,
    count: runs === undefined || runs < 1 ? Number.POSITIVE_INFINITY : runs,
    delay: 0,
  };
}

function wholeNumber(name: string, text: string, least = 1): number {
  if (/^-?\d{1,12}$/.test(text.trim()) && Number(text) >= least) return Number(text);
  throw refused(`"${name}" must be a whole number of at least ${least}, found "${text}"`);
}

function refused(reason: string): MillraceError {
  return new MillraceError({ code: 'MR_TASK_TRIGGER', message: `The trigger of the task is refused: ${reason}` });
}
