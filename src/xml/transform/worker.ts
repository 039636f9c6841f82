import { parentPort } from 'node:worker_threads';
import type { ThreadReply } from '#core';
import { messageOf } from '#errors';
import { createSandbox, type Sandbox } from './sandbox.ts';
import type { WorkerTask } from './worker-pool.ts';

/** A thread that transforms one document after the other. It keeps the stylesheets that it has seen. */
const port = parentPort;
if (!port) throw new Error('this file runs as a worker');
let sandbox: Sandbox | undefined;
const defined = new Set<string>();

port.on('message', ({ definition, source, parameters, method }: WorkerTask) => {
  port.postMessage(reply());

  function reply(): ThreadReply {
    try {
      sandbox ??= createSandbox();
      if (!defined.has(definition.id)) {
        sandbox.define(definition.id, definition.form, definition.text, definition.modules);
        defined.add(definition.id);
      }
      return { answer: sandbox.run(definition.id, source, parameters, method) };
    } catch (error) {
      return { failure: messageOf(error) };
    }
  }
});
