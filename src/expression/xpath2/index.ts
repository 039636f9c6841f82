export { compileXPath2 } from './compile.ts';
