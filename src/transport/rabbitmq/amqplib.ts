import type * as Amqplib from 'amqplib';
import { MillraceError } from '#errors';

let loading: Promise<typeof Amqplib> | undefined;

/** The client of AMQP 0-9-1, loaded when it is first needed. @throws MillraceError `MR_AMQP_PACKAGE` */
export function loadAmqplib(): Promise<typeof Amqplib> {
  loading ??= import('amqplib').then((module) => (module as unknown as { default: typeof Amqplib }).default);
  return loading.catch((error: unknown) => {
    loading = undefined;
    const message = 'AMQP 0-9-1 (RabbitMQ, Andes) needs the package "amqplib"; install it with: npm install amqplib';
    throw new MillraceError({ code: 'MR_AMQP_PACKAGE', message, cause: error });
  });
}
