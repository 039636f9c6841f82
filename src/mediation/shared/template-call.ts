import { synapseCodes } from '#errors';
import { textOf } from '#expression';
import type { Message } from '#message';
import { Fault } from '../fault.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import type { SequenceTemplate } from '../template.ts';
import { callTarget } from './call-exchange.ts';

/** Values of a call by the names of parameters. */
export type TemplateValues = ReadonlyMap<string, unknown>;

/**
 * Puts the defaults of a template below the values of a call.
 *
 * @throws Fault 500101 for a mandatory parameter without a value (mediators 2.7)
 */
export function withDefaults(template: SequenceTemplate, given: TemplateValues): TemplateValues {
  const values = new Map(given);
  for (const { name, mandatory, defaultValue } of template.parameters) {
    if (values.has(name)) continue;
    if (defaultValue !== undefined) values.set(name, defaultValue);
    else if (mandatory) {
      throw new Fault({
        code: synapseCodes.templateParameterMissing,
        message: `The mandatory parameter "${name}" of the template ${template.name} has no value`,
      });
    }
  }
  return values;
}

/** A template with the values of one call. */
export interface TemplateCall {
  readonly template: SequenceTemplate;
  readonly values: TemplateValues;
  /** Most bytes of a body that is read to be kept or to be a result. */
  readonly maxBodyBytes: number;
}

/**
 * Runs a template in a frame of its own. With the reserved parameter `responseVariable` its result becomes a variable,
 * and `overwriteBody` decides what becomes of the payload that it leaves (mediators 2.7).
 */
export function runTemplate(call: TemplateCall, message: Message): Flow | Promise<Flow> {
  const { values } = call;
  const variable = textOf(values.get('responseVariable'));
  if (variable === '') return runInFrame(call, message);
  const keepsBody = /^true$/i.test(textOf(values.get('overwriteBody')));
  return runForResult(call, message, { variable, keepsBody });
}

async function runForResult(
  call: TemplateCall,
  message: Message,
  { variable, keepsBody }: { readonly variable: string; readonly keepsBody: boolean },
): Promise<Flow> {
  if (!message.payload.loaded) await message.payload.load(call.maxBodyBytes);
  const restore = callTarget(variable, keepsBody).before(message);
  if ((await runInFrame(call, message)) === STOP) return STOP;
  if (!message.payload.loaded) await message.payload.load(call.maxBodyBytes);
  restore(message);
  return CONTINUE;
}

function runInFrame({ template, values: parameters }: TemplateCall, message: Message): Flow | Promise<Flow> {
  const outer = message.frame;
  const leave = (): void => {
    message.frame = outer;
  };
  message.frame = { parameters, outer };
  let flow: Flow | Promise<Flow> | undefined;
  try {
    flow = template.run(message);
    return typeof flow === 'boolean' ? flow : flow.finally(leave);
  } finally {
    if (typeof flow !== 'object') leave();
  }
}
