import { defineBuilder } from './builder.ts';

/**
 * Types that usually pass unread, such as `application/octet-stream` and `application/pdf`: what is received is
 * forwarded as it is, and a mediator that reads it finds the `binary` wrapper.
 */
export const relay = defineBuilder({ name: 'relay', build: ({ bytes }) => ({ form: 'binary', bytes }) });
