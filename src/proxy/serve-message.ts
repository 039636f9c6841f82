import { answerFault, type Visit } from '#entry';
import { soapVersionOfClient, STOP, type Compiled, type Flow } from '#mediation';
import type { Message } from '#message';
import { addressAnswer, dropAddressing, isFaultAnswer, readAddressing, replyTargetsOf } from './addressing.ts';
import type { CompiledProxy } from './compile.ts';
import { postReply } from './reply-address.ts';
import type { Operation } from './wsdl/operations.ts';

/** Takes a message through a proxy service: addressing, operation, in sequence, endpoint (runtime-core 3.2). */
export function serveMessage(
  visit: Visit,
  proxy: CompiledProxy,
  replyAddresses: readonly string[],
): Flow | Promise<Flow> {
  const { exchange, message } = visit;
  const { definition, target } = proxy;
  exchange.outFlow = target.outFlow;
  const { enableAddressing, publishWsdl, behaviour } = definition;
  const isChecked = publishWsdl !== undefined && !behaviour.acceptsAnyOperation;
  if (!enableAddressing && !isChecked) return flowOf(proxy)(message);
  return target.guard(() => prepareAndRun(visit, proxy, { isChecked, replyAddresses }))(message);
}

const flows = new WeakMap<CompiledProxy, Compiled>();

function flowOf(proxy: CompiledProxy): Compiled {
  let flow = flows.get(proxy);
  if (!flow) {
    flow = proxy.target.guard(proxy.target.inFlow);
    flows.set(proxy, flow);
  }
  return flow;
}

async function prepareAndRun(
  visit: Visit,
  proxy: CompiledProxy,
  { isChecked, replyAddresses }: { isChecked: boolean; replyAddresses: readonly string[] },
): Promise<Flow> {
  const { exchange, message } = visit;
  const { definition, maxBodyBytes } = proxy;
  const isSoap = soapVersionOfClient(message) !== undefined;
  const isAddressed = definition.enableAddressing && isSoap;
  if (isAddressed) await message.payload.load(maxBodyBytes);
  const addressing = isAddressed ? readAddressing(message) : undefined;
  const targets = addressing && replyTargetsOf(exchange, message, { uri: addressing.uri, allowed: replyAddresses });
  if (addressing && !targets) return STOP;
  let operation: Operation | undefined;
  if (isChecked && isSoap) {
    const found = await operationOf(message, proxy);
    if (found === 'unknown') {
      message.payload.discard();
      answerFault(exchange, message, unknownOperation(visit));
      return STOP;
    }
    operation = found;
    exchange.namedOperation = { local: found.name, uri: found.portType.uri };
  }
  if (operation?.oneWay) exchange.oneWay = true;
  if (addressing) {
    const outputAction = operation?.outputAction;
    const options = { outputAction, limit: maxBodyBytes };
    exchange.complete = (answer) => addressAnswer(answer, addressing, options);
    if (targets?.reply !== undefined || targets?.fault !== undefined) {
      let isSent = false;
      exchange.redirect = async (answer) => {
        await answer.payload.load(maxBodyBytes);
        const to = isFaultAnswer(answer) ? targets.fault : targets.reply;
        // A second answer goes nowhere, as it would on the connection of the request.
        if (to === undefined || isSent) return isSent;
        isSent = true;
        await addressAnswer(answer, addressing, { ...options, to });
        postReply(answer, to, proxy.sender);
        return true;
      };
    }
    if (!definition.behaviour.keepsProcessedHeaders) exchange.beforeSending = dropAddressing;
  }
  return proxy.target.inFlow(message);
}

/** The operation of a message: by its action, else by what is in its body. */
async function operationOf(message: Message, proxy: CompiledProxy): Promise<Operation | 'unknown'> {
  const { operations } = await proxy.description(message);
  const byAction = operations.byAction(message.addressing.action);
  if (byAction) return byAction;
  await message.payload.load(proxy.maxBodyBytes);
  return operations.byBody(message.payload.content()) ?? 'unknown';
}

function unknownOperation({ request, message }: Visit): { reason: string; code: 'Client' } {
  const action = message.addressing.action ?? '';
  const reason =
    `The endpoint reference (EPR) for the Operation not found is ${request.target} and the WSA Action = ${action}. ` +
    'If this EPR was previously reachable, please contact the server administrator.';
  return { reason, code: 'Client' };
}
