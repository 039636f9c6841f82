import type { Clock } from '#core';
import { messageOf } from '#errors';

/** What a control plane asks for in the answer to a report (management 2.4). */
export interface Command {
  readonly commandId: string;
  /** Only `MI_MGMT` is known: a call of the management API. */
  readonly action?: string;
  readonly operation?: string;
  readonly params?: { readonly method?: string; readonly path?: string; readonly body?: unknown };
  /** When it is over: a time in ISO 8601, or milliseconds since the epoch. */
  readonly deadline?: string | number;
}

export interface CommandResult {
  readonly status: 'COMPLETED' | 'FAILED';
  readonly httpStatus: number;
  readonly body: string;
}

/** Calls the management API of this runtime. */
export type Manage = (call: {
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
}) => Promise<{ readonly status: number; readonly body: string }>;

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Runs a command. What is wrong with it is its result, since nobody else could hear of it. */
export async function runCommand(command: Command, manage: Manage, clock: Clock): Promise<CommandResult> {
  const action = command.action ?? command.operation;
  if (action !== 'MI_MGMT') return failed(501, `This runtime does not know the action ${String(action)}`);
  const end = command.deadline === undefined ? undefined : new Date(command.deadline).getTime();
  if (end !== undefined && !(end > clock.now())) return failed(408, 'The deadline of the command is over');
  const { method = 'GET', path = '', body } = command.params ?? {};
  const word = method.toUpperCase();
  if (!methods.has(word)) return failed(400, `The method ${method} is not possible`);
  if (!isManagementPath(path)) return failed(403, 'Only paths below /management/ can be called');
  try {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await manage({ method: word, path, body: text });
    const isDone = answer.status < 400;
    return { status: isDone ? 'COMPLETED' : 'FAILED', httpStatus: answer.status, body: answer.body };
  } catch (error) {
    return failed(500, messageOf(error));
  }
}

/** A path that is what it seems to be: nothing in it leads elsewhere. */
function isManagementPath(path: string): boolean {
  if (!path.startsWith('/management/') || /[\\#\s]|%2e|%2f|%5c/i.test(path.split('?', 1)[0] ?? '')) return false;
  return new URL(path, 'http://localhost').pathname === path.split('?', 1)[0];
}

function failed(httpStatus: number, text: string): CommandResult {
  return { status: 'FAILED', httpStatus, body: JSON.stringify({ Error: text }) };
}
