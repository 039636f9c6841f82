import { defineBuilder } from './builder.ts';

/** `application/binary`: Base64 inside the `binary` wrapper. */
export const binary = defineBuilder({ name: 'binary', build: ({ bytes }) => ({ form: 'binary', bytes }) });
