import type { RunningProcessor } from '#mediation';
import { getAttribute, type XmlElement } from '#xml';
import { namedValues, textOf, type ArtifactFacts } from '../artifact-facts.ts';
import type { ArtifactResource } from '../artifact-resource.ts';
import { refusal } from '../conventions.ts';
import type { ManagedRuntime } from '../runtime.ts';

/** `/message-processors` (management 1.6). */
export const messageProcessors: ArtifactResource = {
  path: '/message-processors',
  kind: 'messageProcessor',
  title: 'message processor',
  parameter: 'name',
  missing: 'text',
  item: (facts, runtime) => ({ name: facts.name, type: typeOf(facts.xml), status: statusOf(facts, runtime) }),
  detail: (facts, runtime) => ({
    name: facts.name,
    type: typeOf(facts.xml),
    status: statusOf(facts, runtime),
    artifactContainer: facts.application ?? '',
    fileName: facts.deployed.file,
    parameters: namedValues(facts.xml, 'parameter'),
    messageStore: textOf(facts.xml, 'messageStore'),
    configuration: facts.configuration,
  }),
  status: {
    audit: 'message_processor',
    unknown: 404,
    async set({ key, name }, isActive, { deployer }) {
      const running = deployer.live(key) as RunningProcessor | undefined;
      if (!running) throw refusal(500, `The message processor ${name} does not run on this node`);
      if (isActive) await running.activate();
      else await running.deactivate();
    },
  },
};

function typeOf(xml: XmlElement): string {
  const className = getAttribute(xml, 'class') ?? '';
  if (/sampling/i.test(className)) return 'Sampling-processor';
  if (/failover/i.test(className)) return 'Failover-scheduled-message-forwarding-processor';
  if (/forward/i.test(className)) return 'Scheduled-message-forwarding-processor';
  return 'Custom-message-processor';
}

function statusOf({ key }: ArtifactFacts, { deployer }: ManagedRuntime): string {
  const running = deployer.live(key) as RunningProcessor | undefined;
  return running?.isActive === true ? 'active' : 'inactive';
}
