// `node tools/with-node.mjs FILE ARG…`: runs FILE with the project's Node, installing what is missing first.
import process from 'node:process';
import { ensureInstalled, runNode } from './toolchain.mjs';

ensureInstalled();
process.exitCode = await runNode(process.argv.slice(2));
