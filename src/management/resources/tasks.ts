import type { RunningTask } from '#mediation';
import { getAttribute } from '#xml';
import { childOf, namedValues, textOf, type ArtifactFacts } from '../artifact-facts.ts';
import type { ArtifactResource } from '../artifact-resource.ts';
import { refusal } from '../conventions.ts';
import type { ManagedRuntime } from '../runtime.ts';

/** `/tasks` (management 1.6). */
export const tasks: ArtifactResource = {
  path: '/tasks',
  kind: 'task',
  title: 'task',
  parameter: 'taskName',
  missing: 'text',
  item: ({ name }) => ({ name }),
  detail: ({ name, xml, configuration }) => ({
    name,
    taskGroup: getAttribute(xml, 'group') ?? 'synapse.simple.quartz',
    implementation: textOf(xml, 'class'),
    ...triggerOf(xml),
    properties: namedValues(xml, 'property'),
    configuration,
  }),
  status: {
    audit: 'task',
    unknown: 400,
    set({ key }, isActive, { deployer }) {
      if (isActive) deployer.release(key);
      else deployer.hold(key);
    },
    actions: { trigger },
  },
};

function triggerOf(xml: ArtifactFacts['xml']): Record<string, string> {
  const trigger = childOf(xml, 'trigger');
  const cron = trigger && getAttribute(trigger, 'cron');
  if (cron !== undefined) return { triggerType: 'cron', cronExpression: cron };
  const isOnce = textOf(trigger, 'once') === 'true';
  return {
    triggerType: 'simple',
    triggerCount: isOnce ? '1' : ((trigger && getAttribute(trigger, 'count')) ?? '-1'),
    triggerInterval: textOf(trigger, 'interval'),
  };
}

async function trigger({ key, name }: ArtifactFacts, { deployer }: ManagedRuntime): Promise<string> {
  const running = deployer.live(key) as RunningTask | undefined;
  if (!running) throw refusal(500, `The task ${name} is not active on this node`);
  await running.trigger();
  return `Task ${name} was triggered`;
}
