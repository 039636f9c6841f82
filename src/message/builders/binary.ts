import { wrapBinary } from '../wrappers.ts';
import { defineBuilder } from './builder.ts';

/** Binary types: Base64 inside the `binary` wrapper. */
export const binary = defineBuilder({
  name: 'binary',
  mediaTypes: [
    'application/octet-stream',
    'application/binary',
    'application/pdf',
    'application/msword',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.ms-powerpoint',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    'application/vnd.ms-excel',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ],
  build: ({ bytes }) => ({ form: 'content', content: [wrapBinary(bytes)] }),
});
