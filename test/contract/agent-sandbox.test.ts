/** Commands of the site builder's agent: what they can do, and fifty ways out that lead nowhere. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '../../demo/agent/db.ts';
import { plans } from '../../demo/agent/plans.ts';
import { toFilter } from '../../demo/agent/sandbox/filter.ts';
import { createSandbox, type Ran } from '../../demo/agent/sandbox/sandbox.ts';
import { createBashTool } from '../../demo/agent/sandbox/tool.ts';
import { createFileStore } from '../../demo/agent/store/files.ts';
import { runAgent } from '../support/agentprocess.ts';
import { callTool, say, startProvider } from '../support/agentprovider.ts';
import { type ShopAgent, startShopAgent } from '../support/agentservice.ts';

const limits = { ram_mb: 128, cpus: 1, timeout_seconds: 2 };
const sandbox = createSandbox(limits, 'auto');
const reason = await sandbox.whyNot();
if (reason !== undefined) process.stderr.write(`No sandbox on this machine: ${reason}\n`);
const hasOne = reason === undefined;

const run = (command: string, files: Record<string, string> = {}, signal = new AbortController().signal) =>
  sandbox.run(
    command,
    new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])),
    signal,
  );
const leftOf = ({ left }: Ran) =>
  Object.fromEntries([...left!.files].map(([path, bytes]) => [path, bytes.toString()]));

describe.runIf(hasOne)('a command', () => {
  test('works in the folder of its workspace, and what it leaves is there (S231)', async () => {
    const ran = await run(
      'cat notes/a.txt; echo new > b.txt; rm old.txt; mkdir c; cp b.txt c/d.txt; exit 3',
      {
        '/notes/a.txt': 'Grüße\n',
        '/old.txt': 'x',
      },
    );
    expect(ran).toMatchObject({
      stdout: 'Grüße\n',
      stderr: '',
      exit_code: 3,
      timed_out: false,
      truncated: false,
    });
    expect(leftOf(ran)).toEqual({ '/notes/a.txt': 'Grüße\n', '/b.txt': 'new\n', '/c/d.txt': 'new\n' });
  });

  test('is told what it says up to 30,000 characters, and files of more than 60 KB come whole (S214)', async () => {
    const ran = await run(
      'yes | head -c 90000; yes no | head -c 90000 >&2; yes | head -c 500000 > large.txt',
    );
    expect([ran.stdout.length, ran.stderr.length, ran.truncated]).toEqual([30_000, 30_000, true]);
    // Half a character is none.
    const cut = await run(`perl -CS -e 'print "a" x 29_999, chr 0x1F600'`);
    expect(cut.stdout.at(-1)).toBe('\ufffd');
    expect(leftOf(ran)['/large.txt']).toHaveLength(500_000);
  });

  test('sees no more processors than the plan has (S210)', async () => {
    expect((await run('nproc')).stdout).toBe('1\n');
    expect((await run('taskset -pc 0-63 $$ > said 2>&1; nproc')).stdout).toBe('1\n');
  });

  test.each([
    'while :; do :; done',
    'sleep 100',
    "trap '' TERM INT HUP; sleep 100 & wait",
    'sleep 100 & sleep 100',
  ])('ends with its time, and all that it began: %s (S211)', async (command) => {
    const ran = await run(`${command} # ${process.pid}-marked`);
    expect(ran).toMatchObject({ exit_code: null, timed_out: true });
    expect(ran.left).toBeUndefined();
    expect(processes()).not.toContain(`${process.pid}-marked`);
  });

  test.each([
    [
      'one process without its first thread',
      `perl -e 'use threads; threads->create(sub { my $x = "a" x (300 << 20); sleep 2; print "had\\n" }); syscall(60, 0)'`,
    ],
    [
      'semaphores',
      `perl -e 'for (1..2000) { my $s = semget(0, 32000, 01600); defined $s or die "no"; } print "had\\n" x 10'`,
    ],
    [
      'messages',
      `perl -e 'for (1..2000) { my $q = msgget(0, 01600); defined $q or die "no"; } print "had\\n" x 10'`,
    ],
    ['one', `perl -e '$x = "a" x (1 << 30); print "had\\n"'`],
    ['many', `for n in $(seq 20); do perl -e '$x = "a" x (60 << 20); sleep 1; print "had\\n"' & done; wait`],
  ])('that takes too much memory, %s, fails alone (S209)', async (_, command) => {
    const ran = await run(command);
    expect(ran.exit_code).not.toBe(0);
    expect(ran.stdout).not.toMatch(/(had\n){10}/);
    expect((await run('echo still')).stdout).toBe('still\n');
  });

  test('that ended in time has what it left, however long that takes to copy', async () => {
    const ran = await run(
      `perl -MTime::HiRes=time,sleep -e 'my $b = time; for (1 .. 9000) { open F, ">f$_" } sleep $b + 1.5 - time'; echo ended`,
    );
    expect(ran).toMatchObject({ stdout: 'ended\n', exit_code: 0, timed_out: false });
    expect(ran.left!.files.size).toBe(9_000);
  });

  test('may end its own group, and reads zeros as long as it likes', async () => {
    const ran = await run('kill -9 0; kill -HUP 0; head -c 40000000 /dev/zero | tr "\\0" x | wc -c > count');
    expect([ran.exit_code, leftOf(ran)]).toEqual([0, { '/count': '40000000\n' }]);
  });

  test('leaves a name that begins with a mark of byte order as it is', async () => {
    const ran = await run('cp \ufeffa \ufeffb', { '/\ufeffa': 'marked', '/a': 'plain' });
    expect(leftOf(ran)).toEqual({ '/\ufeffa': 'marked', '/\ufeffb': 'marked', '/a': 'plain' });
  });

  test('of several threads has its whole time', async () => {
    const two = createSandbox({ ...limits, cpus: 2 }, 'auto');
    const command = `perl -e 'use threads; threads->create(sub { 1 while 1 }) for 1 .. 3; sleep 9'`;
    const ran = await two.run(command, new Map(), new AbortController().signal);
    expect(ran).toMatchObject({ exit_code: null, timed_out: true });
  });

  test('that crashes says no more than that', async () => {
    const ran = await run(`exec perl -e 'print unpack "p", pack "Q", 1'`);
    expect(ran).toMatchObject({ exit_code: 139, stdout: '', stderr: '' });
  });

  test('whose files find no place is told so', async () => {
    vi.stubEnv('TMPDIR', '/nowhere');
    await expect(run('true')).rejects.toThrow('The files could not be laid out (ENOENT).');
    vi.unstubAllEnvs();
  });

  test('that is ended as the service closes leaves nothing behind', async () => {
    const before = folders();
    const stop = new AbortController();
    const ran = run('sleep 100', { '/a': 'x' }, stop.signal);
    await expect.poll(folders).toBe(before + 1);
    stop.abort(new Error('closing'));
    await sandbox.close();
    expect(folders()).toBe(before);
    await expect(ran).rejects.toThrow('closing');
  });

  test('ends with its turn', async () => {
    const stop = new AbortController();
    const ran = run(`sleep 100 # ${process.pid}-stopped`, {}, stop.signal);
    setTimeout(() => stop.abort(new Error('stopped')), 300);
    await expect(ran).rejects.toThrow('stopped');
    await expect.poll(processes).not.toContain(`${process.pid}-stopped`);
  });

  test('that was stopped while its files are laid out is not begun', async () => {
    const stop = new AbortController();
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`/f${n}`, 'x']));
    const ran = run('sleep 1; echo begun', files, stop.signal);
    setTimeout(() => stop.abort(new Error('stopped')), 20);
    await expect(ran).rejects.toThrow('stopped');
  });

  test('is not kept from a machine where folders of others come and go', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'porchlight-sandbox-'));
    rmSync(folder, { recursive: true });
    symlinkSync('/nowhere', folder);
    vi.resetModules();
    const anew = await import('../../demo/agent/sandbox/sandbox.ts');
    expect(await anew.createSandbox(limits, 'auto').whyNot()).toBeUndefined();
    rmSync(folder);
  });

  test('waits for its turn where others run, and leaves no folder behind', async () => {
    const before = folders();
    const all = await Promise.all(Array.from({ length: 6 }, (_, n) => run(`sleep 0.1; echo ${n}`)));
    expect(all.map(({ stdout }) => stdout)).toEqual(['0\n', '1\n', '2\n', '3\n', '4\n', '5\n']);
    expect(folders()).toBe(before);
  });
});

const commandOf = (pid: string) => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // It has ended meanwhile.
    return '';
  }
};
/** The command lines of all that runs here. */
const processes = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandOf)
    .join('\n');
const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('porchlight-sandbox-')).length;

describe.runIf(hasOne)('a way out', () => {
  const secret = 'secret-of-the-service';
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.end();
  });
  let port: number;
  beforeAll(async () => {
    process.env.SANDBOX_TEST_SECRET = secret;
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => {
    delete process.env.SANDBOX_TEST_SECRET;
    server.close();
  });

  /** Each says "out" where it has succeeded. */
  test.each([
    ['passwords', 'cat /etc/shadow && echo out'],
    ['home folders', 'ls /root /home && echo out'],
    ['the folder of the service', `ls ${process.cwd()} && echo out`],
    ['temporary files of others', '[ "$(ls -A /tmp)" ] && echo out'],
    ['the system', 'touch /usr/out && echo out'],
    ['programs', 'echo x > /usr/bin/env && echo out'],
    ['the root', 'touch /out && echo out'],
    ['libraries', 'ln -sf /workspace/x /etc/ld.so.cache && echo out'],
    ['the environment', 'env | grep secret-of && echo out'],
    ['the environment of others', 'cat /proc/*/environ | tr "\\0" "\\n" | grep secret-of && echo out'],
    ['memory of others', 'head -c 1 /proc/1/mem && echo out'],
    ['the root of others', 'cat /proc/1/root"/etc/shadow" && echo out'],
    [
      'open files',
      'for f in /proc/$$/fd/*; do case "$(readlink $f)" in pipe:*|/dev/null) ;; /*) echo out; echo $f $(readlink $f);; esac; done',
    ],
    ['the third stream', 'echo "exit 0" >&3 && echo out'],
    ['a link to what is outside', 'ln -s /etc/passwd link; ln -s ../../../etc up; cat up/shadow && echo out'],
    ['a hard link', 'ln /usr/bin/env link && echo out'],
    ['a device', 'mknod disk b 254 0 && echo out'],
    ['a device of memory', 'cat /dev/mem /dev/kmem /dev/vda && echo out'],
    ['mounting', 'mount -t tmpfs none /tmp && echo out'],
    ['mounting for writing', 'mount -o remount,bind,rw /usr && echo out'],
    ['unmounting', 'umount /usr || umount -l /proc && echo out'],
    ['a namespace of its own', 'unshare -Ur true && echo out'],
    ['namespaces of others', 'nsenter -t 1 -a true && echo out'],
    ['another root', 'chroot . /bin/true && echo out'],
    ['another user', 'su -c true || sudo -n true || setpriv --reuid=0 true && echo out'],
    ['rights', 'grep -q "CapEff:.*[1-9a-f]" /proc/self/status && echo out'],
    ['setuid', 'cp /usr/bin/id . && chmod u+s id && ./id -u | grep -qx 0 && echo out'],
    ['the network', 'exec 5<>/dev/tcp/127.0.0.1/PORT && echo out'],
    ['the network of the machine', 'exec 5<>/dev/tcp/$(hostname -i | cut -d" " -f1)/PORT && echo out'],
    ['names', 'getent hosts example.com && echo out'],
    ['a datagram', 'exec 5<>/dev/udp/8.8.8.8/53 && echo x >&5 && echo out'],
    ['signals', 'kill -9 -1 -- $(seq 2 5000) && echo out'],
    ['the first process', 'kill -9 1; kill -STOP 1; sleep 0.1; false && echo out'],
    ['processes of others', 'ps -e -o args | grep -q "[v]itest" && echo out'],
    ['a bomb of forks', 'f() { f | f & }; f; sleep 1; false && echo out'],
    ['the name of the machine', 'hostname out && echo out'],
    ['the clock', 'date -s 2001-01-01 && echo out'],
    ['the kernel', 'echo 1 > /proc/sys/kernel/sysrq || echo b > /proc/sysrq-trigger && echo out'],
    ['the log of the kernel', 'dmesg && echo out'],
    ['modules', 'insmod x || modprobe loop && echo out'],
    ['a full disk', 'dd if=/dev/zero of=fill bs=1M count=100 && echo out'],
    [
      'full temporary files',
      'for n in 1 2 3; do dd if=/dev/zero of=/tmp/$n bs=1M count=40 || exit; done && echo out',
    ],
    ['more files than there are', 'for n in $(seq 30000); do : > $n || exit; done && echo out'],
    ['a keyring', `perl -e 'syscall(250, 0, -3, 1) >= 0 and print "out\n"'`],
    ['a key', `perl -e 'syscall(248, "user", "left", "x", 1, -3) >= 0 and print "out\n"'`],
    ['a file of memory', `perl -e 'my $n = "m"; syscall(319, $n, 0) >= 0 and print "out\n"'`],
    [
      'pages of a pipe',
      `perl -e 'my $d = "x" x 4096; my $v = pack "P Q", $d, 4096; pipe R, W; syscall(278, fileno W, $v, 1, 0) >= 0 and print "out\n"'`,
    ],
    ['another set of calls', `perl -e 'my $n = "m"; syscall(319 | 1 << 30, $n, 0) >= 0 and print "out\n"'`],
    [
      'shared memory, its bound raised',
      `echo 1000000 > /proc/sys/kernel/shmall; perl -e 'defined shmget(0, 4096, 01600) and print "out\n"'`,
    ],
    ['shared memory of no file', `perl -e 'syscall(9, 0, 4096, 3, 0x21, -1, 0) == -1 or print "out\n"'`],
    [
      'shared memory of a device',
      `perl -e 'open F, "+<", "/dev/zero" and syscall(9, 0, 4096, 3, 1, fileno F, 0) != -1 and print "out\n"'`,
    ],
    ['what goes past a filter', `perl -e 'my $p = chr(0) x 120; syscall(425, 1, $p) >= 0 and print "out\n"'`],
    [
      'input and output that all share',
      `perl -e 'my $c = pack "Q", 0; syscall(206, 8, $c) >= 0 and print "out\n"'`,
    ],
    [
      'streams handed to the service',
      `perl -e 'my $d = "x"; my $v = pack "P Q", $d, 1; my $m = pack "Q Q P Q Q Q Q", 0, 0, $v, 1, 0, 0, 0; syscall(46, 1, $m, 0) >= 0 and print "\nout\n"'`,
    ],
    ['the host of the machine', `perl -e 'socket(my $s, 40, 1, 0) and print "out\n"'`],
    ['a process that stays', `setsid nohup sleep 97 >/dev/null 2>&1 & disown; false && echo out`],
    ['the command itself', '"; echo out; #'],
  ])('%s leads nowhere', async (_, command) => {
    const before = [readFileSync('/etc/hostname', 'utf8'), Date.now()] as const;
    const ran = await run(command.replaceAll('PORT', String(port)));
    expect(ran.stdout).not.toMatch(/^out$/m);
    expect(`${ran.stdout}${ran.stderr}`).not.toContain(secret);
    // Nothing of it is left, nor hurt.
    expect(existsSync('/usr/out') || existsSync('/out')).toBe(false);
    expect(readFileSync('/etc/hostname', 'utf8')).toBe(before[0]);
    expect(Math.abs(Date.now() - before[1])).toBeLessThan(60_000);
    expect(processes()).not.toContain('sleep 97');
    expect(connections).toBe(0);
    for (const [path] of ran.left?.files ?? [])
      expect(['/fill', '/id'].includes(path) || /^\/\d+$/.test(path)).toBe(true);
    expect((await run('echo alive')).stdout).toBe('alive\n');
  });

  test.each([
    ['epoll', 291, 0],
    ['inotify', 294, 0],
  ])('%s is refused to who runs as the service does, and to nobody else', (_, number, flags) => {
    const told = (hasOwnUser: boolean) =>
      spawnSync('setpriv', [
        ...['--no-new-privs', ...toFilter(hasOwnUser)],
        ...['perl', '-e', `print syscall(${number}, ${flags}) >= 0 ? "open" : "refused"`],
      ]).stdout.toString();
    expect([told(false), told(true)]).toEqual(['refused', 'open']);
  });

  test.runIf(process.getuid?.() === 0)('each command runs as a user of its own', async () => {
    const users = new Set<string>();
    for (const mark of [1, 2]) {
      // What it starts runs as its user; what leads up to it starts as the service's.
      const started = `sleep 2.${process.pid}${mark} `;
      const isRunning = (pid: string) => /^\d+$/.test(pid) && commandOf(pid) === started;
      const ran = run(started);
      await expect.poll(() => readdirSync('/proc').some(isRunning), { timeout: 10_000 }).toBe(true);
      for (const pid of readdirSync('/proc').filter(isRunning))
        users.add(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]!);
      await ran;
    }
    expect(users.size).toBe(2);
    expect(Math.min(...[...users].map(Number))).toBeGreaterThan(1_000_000);
  });

  test('what is no plain file is not kept, and holds nobody up', async () => {
    const ran = await run(
      'mkfifo pipe; ln -s /etc link; mkdir empty; printf x > "a\\\\b"; printf x > kept; printf x > "$(printf "M\\374")"',
    );
    expect(leftOf(ran)).toEqual({ '/kept': 'x' });
    expect(ran.left!.unkept.toSorted()).toEqual(['/M\ufffd', '/a\\b', '/link', '/pipe']);
  });

  test.each([
    ['holes', 'for n in $(seq 200); do truncate -s 1M f$n; done'],
    ['hard links', 'head -c 1000000 /dev/urandom > a; for n in $(seq 100); do ln a b$n; done'],
    ['files', 'for n in $(seq 10001); do : > $n; done'],
  ])('too much is not kept, as it would lie outside: %s', async (_, command) => {
    const ran = await run(`echo x > kept; ${command}; echo end`);
    expect(ran).toMatchObject({
      stdout: 'end\n',
      exit_code: 0,
      kept: 'Nothing: it is more than 32 MB or 10000 files.',
    });
    expect(ran.left).toBeUndefined();
  });

  test('the folders of the service are not shown', async () => {
    const folder = '/usr/share/doc';
    const hiding = createSandbox(limits, 'auto', [folder]);
    const look = (one: typeof sandbox) =>
      one.run(`ls ${folder} | wc -l`, new Map(), new AbortController().signal);
    expect((await look(hiding)).stdout).toBe('0\n');
    expect((await look(sandbox)).stdout).not.toBe('0\n');
    // Nor where a file of it really lies; and there is none where that is not to be hidden.
    const link = join(mkdtempSync(join(tmpdir(), 'agent-link-')), 'agent.db');
    symlinkSync(`${folder}/bash/copyright`, link);
    const linked = createSandbox(limits, 'auto', [link]);
    const { stdout } = await linked.run(`ls ${folder}/bash`, new Map(), new AbortController().signal);
    expect(stdout).toBe('');
    expect(await createSandbox(limits, 'auto', ['/usr/share']).whyNot()).toMatch(/^The database, or TMPDIR,/);
  });
});

/** One that lies in no service. */
function openWorkspace(most = 100) {
  const db = openDatabase(':memory:');
  db.exec(`INSERT INTO projects (id) VALUES ('p');
    INSERT INTO bots (uuid, project_id, credits, created_at) VALUES ('b', 'p', 1, 1);
    INSERT INTO workspaces VALUES ('w', 'b', NULL, 'W', NULL, 'dashboard', 0, 1, 1)`);
  const files = createFileStore(db, Date.now, most);
  const add = (path: string) =>
    files.create('w', { path, content: Buffer.from('0\n'), language: null, by: 'user' });
  const textOf = (path: string) => {
    const file = files.find('w', path)!;
    return files.content(file, file.version)!.toString();
  };
  return { db, files, add, textOf, bash: createBashTool({ files, workspace: 'w', sandbox }) };
}

describe('offered', () => {
  let provider: Awaited<ReturnType<typeof startProvider>>;
  let agent: ShopAgent;
  const start = async (options: object = {}) => {
    provider = await startProvider();
    agent = await startShopAgent({
      provider: { host: provider.host, model: 'small' },
      extraKeys: [{ key: 'member-key', role: 'member' }],
      ...options,
    });
  };
  afterEach(async () => {
    await agent.close();
    await provider.close();
  });
  const offers = async (input: object, key = 'owner-key') => {
    const before = provider.requests.length;
    await agent.clientOf(key).chat('Please look', { reasoning_mode: 'agent', ...input });
    const { tools } = provider.requests[before]!.body;
    return tools.some((tool: { function: { name: string } }) => tool.function.name === 'bash');
  };
  const isSaidAvailable = async () =>
    (await agent.client.call('GET', '/v1/plan')).body.data.sandbox_available;

  test.runIf(hasOne)('to the builder in edit alone, and runs in the workspace of the turn', async () => {
    await start();
    expect(await isSaidAvailable()).toBe(true);
    expect(await offers({ chat_mode: 'edit', chat_id: 'c' })).toBe(true);
    for (const input of [
      { chat_mode: 'ask' },
      { chat_mode: 'plan' },
      { member_id: 'ada' },
      { purpose: 'service' },
    ])
      expect([input, await offers(input)]).toEqual([input, false]);
    expect(await offers({ chat_id: 'c' }, 'member-key')).toBe(false);
    const command = 'echo one > a.txt; mkdir b; echo two > b/c.txt; ls';
    provider.scripts.push({ deltas: [callTool('bash', { command })] }, { deltas: [say('Done.')] });
    const { chat } = (await agent.client.chat('Go', { reasoning_mode: 'agent', chat_id: 'c' })).body;
    const { content } = provider.requests.at(-1)!.body.messages.at(-1);
    expect(JSON.parse(content)).toEqual({
      stdout: 'a.txt\nb\n',
      stderr: '',
      exit_code: 0,
      timed_out: false,
      truncated: false,
    });
    const { workspace_uuid } = chat;
    const paths = async () =>
      (await agent.client.call('GET', '/v1/bot/workspace/files', { workspace_uuid })).body.files.map(
        ({ file_path, version }: { file_path: string; version: number }) => [file_path, version],
      );
    expect(await paths()).toEqual([
      ['/a.txt', 1],
      ['/b/c.txt', 1],
    ]);
    // A file may become a folder, and the other way about.
    const turn = 'cat a.txt > x; rm a.txt; mkdir a.txt; mv x a.txt/one; rm -r b; echo three > b';
    provider.scripts.push({ deltas: [callTool('bash', { command: turn })] }, { deltas: [say('Done.')] });
    await agent.client.chat('Go', { reasoning_mode: 'agent', chat_id: 'c' });
    expect(await paths()).toEqual([
      ['/a.txt/one', 1],
      ['/b', 1],
    ]);
  });

  test.runIf(hasOne)('and what somebody writes meanwhile stays, and is named', async () => {
    const { db, files, add, textOf, bash } = openWorkspace();
    const [log, gone, same] = ['/log.txt', '/gone.txt', '/same.txt'].map(add);
    const command = 'echo C >> log.txt; rm gone.txt; echo new > made.txt; echo C >> same.txt; sleep 1';
    const running = bash.run({ command }, new AbortController().signal);
    await new Promise((resolve) => setTimeout(resolve, 500));
    files.write(log!, Buffer.from('mine'), 'user');
    files.write(gone!, Buffer.from('mine'), 'user');
    add('/made.txt');
    const { result } = (await running) as { result: { not_kept: string[] } };
    expect(result.not_kept.toSorted()).toEqual(['/log.txt', '/made.txt']);
    expect(['/log.txt', '/gone.txt', '/made.txt', '/same.txt'].map(textOf)).toEqual([
      'mine',
      'mine',
      '0\n',
      '0\nC\n',
    ]);
    expect(files.find('w', '/same.txt')!.version).toBe(same!.version + 1);
    db.close();
  });

  test.runIf(hasOne)('with nothing open that the service was started with', async () => {
    provider = await startProvider();
    const env = { AGENT_DB: ':memory:', PROVIDER_HOST: provider.host, PROVIDER_MODEL: 'small' };
    const started = await runAgent(env, 'exec 200</ 31>/dev/null');
    const command = 'ls /proc/self/fd; ls /proc/self/fd/200/ && echo out';
    provider.scripts.push({ deltas: [callTool('bash', { command })] }, { deltas: [say('Done.')] });
    await started.chat('Go', { reasoning_mode: 'agent', chat_mode: 'edit' });
    const { stdout, exit_code } = JSON.parse(provider.requests.at(-1)!.body.messages.at(-1).content);
    // Beside its own streams the folder that is listed.
    expect([stdout, exit_code]).toEqual(['0\n1\n2\n3\n', 2]);
    await started.kill();
    agent = await startShopAgent();
  });

  test.runIf(hasOne)('and nothing goes that something was made of which could not be kept', async () => {
    const { db, files, add, textOf, bash } = openWorkspace(4);
    const act = async (command: string) => (await bash.run({ command }, new AbortController().signal)).result;
    const paths = () => files.after('w', '', 100).map(({ path }) => path);
    for (const path of ['/a.txt', '/b.txt', '/c/d.txt']) add(path);
    expect(await act('head -c 2000000 /dev/zero > all.tar && rm *.txt')).toMatchObject({
      not_kept: ['/all.tar'],
      not_deleted: ['/a.txt', '/b.txt'],
    });
    expect(paths()).toEqual(['/a.txt', '/b.txt', '/c/d.txt']);
    // Nor does what stands in the way of something else.
    const running = act('mv a.txt e.txt; mv c/d.txt x; rmdir c; mv x c; sleep 1');
    await new Promise((resolve) => setTimeout(resolve, 500));
    add('/e.txt');
    expect(await running).toMatchObject({
      not_kept: ['/e.txt', '/c'],
      not_deleted: ['/a.txt', '/c/d.txt'],
    });
    expect(paths()).toEqual(['/a.txt', '/b.txt', '/c/d.txt', '/e.txt']);
    expect(await act('rm -r c; echo x > c')).not.toHaveProperty('not_kept');
    for (const command of [
      'cp a.txt out; head -c 2000000 /dev/zero >> out; rm a.txt; mkdir a.txt; mv out a.txt/all; echo x > a.txt/x',
      `mv a.txt 's\\x'; mkdir a.txt; echo x > a.txt/x`,
      '(cat a.txt b.txt; head -c 2000000 /dev/zero) > y; echo note > x; rm a.txt b.txt',
      '(cat a.txt b.txt; head -c 2000000 /dev/zero) > x; echo note > y; rm a.txt b.txt',
    ]) {
      await act(command);
      expect([command, textOf('/a.txt'), textOf('/b.txt')]).toEqual([command, '0\n', '0\n']);
    }
    // The workspace is full, and has room for what takes the place of another, and for no more.
    expect(await act('echo moved > a.txt; mv a.txt z.txt; mv b.txt y.txt')).not.toHaveProperty('not_kept');
    expect([paths(), textOf('/z.txt')]).toEqual([['/c', '/e.txt', '/y.txt', '/z.txt'], 'moved\n']);
    expect(await act('mv e.txt f.txt; echo new > g.txt')).toMatchObject({
      not_kept: ['/f.txt', '/g.txt'],
      not_deleted: ['/e.txt'],
    });
    expect(paths()).toEqual(['/c', '/e.txt', '/y.txt', '/z.txt']);
    db.close();
  });

  test.runIf(hasOne)('and a file that is too large to be written is no trouble while it stays', async () => {
    const { db, files, add, bash } = openWorkspace();
    const act = async (command: string) => (await bash.run({ command }, new AbortController().signal)).result;
    const content = Buffer.alloc(2_000_000, 'x');
    files.create('w', { path: '/manual.pdf', content, language: null, by: 'user' });
    for (const path of ['/a.txt', '/b.txt']) add(path);
    expect(await act('rm a.txt; mv b.txt c.txt')).not.toHaveProperty('not_kept');
    expect(files.after('w', '', 10).map(({ path }) => path)).toEqual(['/c.txt', '/manual.pdf']);
    expect(await act('echo more >> manual.pdf; rm c.txt')).toMatchObject({
      not_kept: ['/manual.pdf'],
      not_deleted: ['/c.txt'],
    });
    db.close();
  });

  test.runIf(hasOne)(
    'and what somebody moves, or makes anew under its name, meanwhile is theirs',
    async () => {
      const { db, files, add, textOf, bash } = openWorkspace();
      const [one, other] = ['/a.txt', '/b.txt'].map(add);
      const meanwhile = async (command: string, work: () => void) => {
        const running = bash.run({ command: `${command}; sleep 1` }, new AbortController().signal);
        await new Promise((resolve) => setTimeout(resolve, 500));
        work();
        return (await running).result;
      };
      const anew = () => {
        files.delete(one!);
        add('/a.txt');
      };
      expect(await meanwhile('echo C >> a.txt; echo made > z.txt', anew)).toMatchObject({
        not_kept: ['/a.txt'],
      });
      const moved = await meanwhile('rm b.txt', () => files.rename(other!, '/moved.txt'));
      expect(moved).not.toHaveProperty('not_kept');
      expect(moved).toMatchObject({ not_deleted: ['/b.txt'] });
      expect(['/a.txt', '/moved.txt', '/z.txt'].map(textOf)).toEqual(['0\n', '0\n', 'made\n']);
      db.close();
    },
  );

  test.runIf(hasOne)('and what finds no room is named', async () => {
    await start({ plan: 'starter', requestsPerMinute: 1_000 });
    expect(plans.starter.files_per_workspace).toBe(200);
    const command = 'for n in $(seq 205); do echo $n > f$n; done';
    provider.scripts.push({ deltas: [callTool('bash', { command })] }, { deltas: [say('Done.')] });
    await agent.client.chat('Go', { reasoning_mode: 'agent', chat_mode: 'edit' });
    const { not_kept } = JSON.parse(provider.requests.at(-1)!.body.messages.at(-1).content);
    expect(not_kept).toHaveLength(5);
    const more = 'for n in $(seq 300); do echo $n > g$n; done';
    provider.scripts.push({ deltas: [callTool('bash', { command: more })] }, { deltas: [say('Done.')] });
    await agent.client.chat('Go', { reasoning_mode: 'agent', chat_mode: 'edit' });
    const told = JSON.parse(provider.requests.at(-1)!.body.messages.at(-1).content).not_kept;
    expect([told.length, told.at(-1)]).toEqual([21, 'and 80 more']);
  });

  test('nowhere where it is switched off, or the plan has none', async () => {
    for (const options of [{ sandbox: 'off' }, { plan: 'free' }]) {
      await start(options);
      expect(await isSaidAvailable()).toBe(false);
      expect(await offers({ chat_mode: 'edit' })).toBe(false);
      await agent.close();
      await provider.close();
    }
    await start();
    expect(await createSandbox(limits, 'off').whyNot()).toBe('AGENT_SANDBOX is off.');
    expect(await createSandbox(null, 'auto').whyNot()).toBe('The plan has no sandbox.');
  });
});
