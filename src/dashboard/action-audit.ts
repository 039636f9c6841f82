import type { AuditedChange } from '#rest';

/** What the audit calls an action, and the toggle that it turns, which makes a type of its own (management 1.2). */
const actions: Readonly<Record<string, { readonly action: string; readonly toggle?: string }>> = {
  activate: { action: 'enabled' },
  deactivate: { action: 'disabled' },
  trigger: { action: 'triggered' },
  startTrace: { action: 'enabled', toggle: 'trace' },
  stopTrace: { action: 'disabled', toggle: 'trace' },
  startStatistics: { action: 'enabled', toggle: 'statistics' },
  stopStatistics: { action: 'disabled', toggle: 'statistics' },
};

/** Kinds that the audit of a runtime calls otherwise. */
const types: Readonly<Record<string, string>> = {
  proxy: 'proxy_service',
  inboundEndpoint: 'inbound_endpoint',
  messageProcessor: 'message_processor',
  template: 'sequence_template',
};

/** The verb of an action of artifacts; `updated` for one that there is not. */
export function verbOf(action: string | undefined): string {
  return actionOf(action)?.action ?? 'updated';
}

/** What the audit says of an action on an artifact, as the runtimes do that carry it out. */
export function auditedAction(
  artifact: { readonly group?: string; readonly kind?: string; readonly name?: string },
  action: string | undefined,
): AuditedChange {
  const { name, group, kind = 'artifact' } = artifact;
  const type = Object.hasOwn(types, kind) ? (types[kind] ?? kind) : kind;
  const toggle = actionOf(action)?.toggle;
  return { action: verbOf(action), type: toggle ? `${type}_${toggle}` : type, info: { name, group } };
}

function actionOf(action: string | undefined): (typeof actions)[string] | undefined {
  return action !== undefined && Object.hasOwn(actions, action) ? actions[action] : undefined;
}
