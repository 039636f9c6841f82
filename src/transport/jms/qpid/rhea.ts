import type * as Rhea from 'rhea';
import { jmsError } from '../provider.ts';

let loading: Promise<typeof Rhea> | undefined;

/** The client of AMQP 1.0, loaded when it is first needed. @throws MillraceError `MR_JMS_PACKAGE` */
export function loadRhea(): Promise<typeof Rhea> {
  loading ??= import('rhea').then(({ default: rhea }) => rhea as unknown as typeof Rhea);
  return loading.catch((error: unknown) => {
    loading = undefined;
    const message = 'JMS over AMQP 1.0 needs the package "rhea"; install it with: npm install rhea';
    throw jmsError('MR_JMS_PACKAGE', message, error);
  });
}
