// Keeps compiled code for the next start: in NODE_COMPILE_CACHE, else in the folder of the release if it is writable.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

enableCompileCache(join(import.meta.dirname, '../cache'));
await import('./main.js');
