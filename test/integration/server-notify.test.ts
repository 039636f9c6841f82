import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { notifyServiceManager } from '#server/launch';

/** Listens as systemd does and prints each notice; Node itself has no Unix datagram sockets. */
const receiver = `
import os, socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("listening", flush=True)
while True:
    print(s.recv(4096).decode(), flush=True)
`;

function missing(program: string): boolean {
  return spawnSync(program, ['--version']).error !== undefined;
}

const skip = missing('systemd-notify')
  ? 'needs systemd-notify (Debian package systemd)'
  : missing('python3') && 'needs python3 as the receiver of the notices';

test('a service manager that waits is told of the start and of the stop', { skip, timeout: 240_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-notify-'));
  const socket = join(folder, 'notify');
  const manager = spawn('python3', ['-c', receiver, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const lines = createInterface({ input: manager.stdout })[Symbol.asyncIterator]();
    assert.equal((await lines.next()).value, 'listening');
    const environment = { PATH: process.env['PATH'], NOTIFY_SOCKET: socket };
    assert.equal(await notifyServiceManager('READY=1', environment), true);
    assert.equal((await lines.next()).value, 'READY=1');
    assert.equal(await notifyServiceManager('STOPPING=1', environment), true);
    const heard = [(await lines.next()).value, (await lines.next()).value];
    assert.ok(heard.includes('STOPPING=1'), `heard ${heard.join(', ')}`);
  } finally {
    manager.kill();
    await once(manager, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
});

test('nothing is sent when no service manager waits', async () => {
  assert.equal(await notifyServiceManager('READY=1', { PATH: process.env['PATH'] }), false);
});

test('a notice that cannot be sent is an error with a code', async () => {
  const environment = { PATH: '/nonexistent', NOTIFY_SOCKET: '/nonexistent/socket' };
  await assert.rejects(notifyServiceManager('READY=1', environment), { code: 'MR_NOTIFY_FAILED' });
});
