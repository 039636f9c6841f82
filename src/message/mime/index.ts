export { MultipartError } from './error.ts';
export { headerParameters, quoted } from './headers.ts';
export { decodedBody, parseMultipart, type Part } from './parts.ts';
export { writeMultipart } from './write.ts';
