// Ways to escape from a sandbox, each as a bash snippet. They are executed inside and, where harmless, outside: an
// attempt that cannot succeed anywhere proves nothing.
//
// Variables: $OUT a directory that must not change, $HOME with secrets, $PROJECT, $STATE the server's own directory,
// $VICTIM a process outside, $PORT a TCP and UDP port, $STREAM $DGRAM $ABSTRACT sockets, $MARK text to write, `py CODE`
// for raw system calls, and `escaped` after something that must not succeed.

import type { ActiveSandboxLevel } from '@scorpiox/server/sandbox/sandbox-level'
import { ANSWERED_ENOSYS, CHECKED_BY_ARGUMENT, DENIED } from '@scorpiox/server/sandbox/syscall-numbers'

export interface Attempt {
  readonly name: string
  readonly how: string
  /** Where its success would be an escape. */
  readonly levels: readonly ActiveSandboxLevel[]
  /** How success is detected. */
  readonly sign: 'change' | 'secret' | 'packet' | 'escaped'
  /** Whether the same snippet can be shown to work without a sandbox. */
  readonly proof: boolean
  /** In a separate sandbox: it may end every process in it. */
  readonly alone: boolean
  readonly needs: readonly string[]
}

type ScriptVariables = readonly [name: string, how: string]
type Options = Partial<Omit<Attempt, 'name' | 'how' | 'sign'>>

const IS_ROOT = process.getuid?.() === 0

const ALL: readonly ActiveSandboxLevel[] = ['read-only', 'workspace', 'strict']
export const WRITING: readonly ActiveSandboxLevel[] = ['workspace', 'strict']

export function attempts(
  sign: Attempt['sign'],
  list: readonly ScriptVariables[],
  options: Options = {},
): readonly Attempt[] {
  return list.map(([name, how]) => ({
    name,
    how,
    sign,
    levels: ALL,
    proof: true,
    alone: false,
    ...options,
    needs: [...(options.needs ?? []), ...(/\bpy\b/.test(how) ? ['py'] : [])],
  }))
}

const numbers: Readonly<Record<string, { readonly x64?: number; readonly arm64?: number }>> = {
  ...DENIED,
  ...ANSWERED_ENOSYS,
  ...CHECKED_BY_ARGUMENT,
  renameat2: { x64: 316, arm64: 276 },
  pidfd_open: { x64: 434, arm64: 434 },
  pidfd_send_signal: { x64: 424, arm64: 424 },
  name_to_handle_at: { x64: 303, arm64: 264 },
  capset: { x64: 126, arm64: 91 },
  ioprio_set: { x64: 251, arm64: 30 },
}

export function nr(name: string): number {
  const number = numbers[name]?.[process.arch === 'arm64' ? 'arm64' : 'x64']
  if (number === undefined) throw new Error(`${name} has no number here`)
  return number
}

/**
 * What a list of forbidden commands would have to detect. The first eight are those that the lists of other programs
 * missed.
 */
const COMMANDS = attempts('change', [
  ['command substitution', '$(printf echo) $MARK >"$OUT/victim"'],
  ['an absolute path', '/usr/bin/printf $MARK | /usr/bin/tee "$OUT/victim"'],
  ['quotes inside the word', `'ec'"ho" $MARK >"$OUT/victim"`],
  ['a glob for the program', 'printf $MARK | /usr/bin/te[e] "$OUT/victim"'],
  ['a newline', 'true\nprintf $MARK >"$OUT/victim"'],
  ['process substitution', 'cat <(echo $MARK) >"$OUT/victim"'],
  ['a symbolic link', 'ln -s "$OUT/victim" link; echo $MARK >link'],
  ['a symbolic link to the folder', 'ln -s "$OUT" folder; echo $MARK >folder/victim'],
  ['backticks', '`printf echo` $MARK >"$OUT/victim"'],
  ['eval', 'eval "ec"ho $MARK \\> '.concat(`'"$OUT/victim"'`)],
  ['base64', 'echo "echo $MARK >\\"$OUT/victim\\"" | base64 | base64 -d | sh'],
  ['a word put together', 'a=ec b=ho; $a$b $MARK >"$OUT/victim"'],
  ['brace expansion', '{echo,$MARK} >"$OUT/victim"'],
  ['a here document', 'sh <<X\necho $MARK >"$OUT/victim"\nX'],
  ['xargs', 'printf "$OUT/victim" | xargs sh -c '.concat(`'echo $MARK >"$0"'`)],
  ['find', 'find "$OUT" -name victim -exec sh -c '.concat(`'echo $MARK >"$0"' {} \\;`)],
  ['env', 'env -i sh -c "echo $MARK >\\"$OUT/victim\\""'],
  ['a function called like a builtin', 'function test { command echo $MARK >"$OUT/victim"; }; test'],
  ['a script', 'printf "#!/bin/sh\\necho $MARK >\\"$OUT/victim\\"" >/tmp/s.$MARK; sh /tmp/s.$MARK; rm /tmp/s.$MARK'],
  ['awk', 'awk -v f="$OUT/victim" '.concat(`'BEGIN { print "x" >f }'`)],
  ['sed', 'sed -i s/u/x/ "$OUT/victim"'],
  ['dd', 'echo $MARK | dd of="$OUT/victim" status=none'],
  ['a relative path', 'cd "$PROJECT" && echo $MARK >../../out/victim'],
  ['python', "py \"open(os.environ['OUT'] + '/victim', 'w').write('x')\""],
])

const FOREIGN_LANGUAGES = [
  ...attempts('change', [['perl', `perl -e 'open F, ">$ENV{OUT}/victim"; print F 1'`]], { needs: ['perl'] }),
  ...attempts('change', [['git alias', `git -c alias.x='!echo $MARK >"$OUT/victim"' x`]], { needs: ['git'] }),
  ...attempts('change', [['node', `node -e 'fs.writeFileSync(process.env.OUT + "/victim", "x")'`]], {
    needs: ['node'],
  }),
  ...attempts(
    'change',
    [
      [
        'a program made on the spot',
        `printf 'int main(){return system("echo x >$OUT/victim");}' | gcc -w -x c - -o made && ./made`,
      ],
    ],
    { needs: ['gcc'] },
  ),
]

const FILES = attempts('change', [
  ['a hard link', 'ln "$OUT/victim" hard && echo $MARK >hard'],
  ['a rename over it', 'echo $MARK >new; mv -f new "$OUT/victim"'],
  ['a rename away', 'mv "$OUT/victim" "$OUT/gone"'],
  ['a rename of the folder', 'mv "$OUT/folder" taken'],
  ['deleting', 'rm -f "$OUT/victim"'],
  ['deleting and making anew', 'rm -f "$OUT/victim"; echo $MARK >"$OUT/victim"'],
  ['truncating', 'truncate -s 0 "$OUT/victim"'],
  ['appending', 'echo $MARK >>"$OUT/victim"'],
  ['another mode', 'chmod 777 "$OUT/victim"'],
  ['another group', 'chgrp 1 "$OUT/victim" || chmod 700 "$OUT/victim"'],
  ['umask and a new file', 'umask 0; echo $MARK >"$OUT/new"'],
  ['a new folder', 'mkdir "$OUT/new"'],
  ['a new symbolic link', 'ln -s /etc "$OUT/new"'],
  ['a new pipe', 'mkfifo "$OUT/new"'],
  ['tar', 'echo $MARK >file; tar c file | tar x -C "$OUT"'],
  ['cp', 'echo $MARK >file; cp -a file "$OUT/file"'],
  ['install', 'echo $MARK >file; install -m 755 file "$OUT/file"'],
  ['a descriptor opened again', 'exec 7<"$OUT/victim"; echo $MARK >/proc/self/fd/7'],
  ['a folder opened before', 'exec 7<"$OUT"; echo $MARK >/proc/self/fd/7/victim'],
  ['/proc/self/root', 'echo $MARK >"/proc/self/root$OUT/victim"'],
  ['/proc/self/cwd', 'cd "$PROJECT"; echo $MARK >/proc/self/cwd/../../out/victim'],
  ['the root of any process', 'for p in /proc/[0-9]*; do echo $MARK >"$p/root$OUT/victim"; done'],
  ['the root of a process outside', 'echo $MARK >"/proc/$VICTIM/root$OUT/victim"'],
  ['the directory of the server', 'echo $MARK >"/proc/$SERVER/root$OUT/victim"'],
  ['a file of the home', 'echo $MARK >>"$HOME/.bashrc"'],
  ['a new file in the home', 'echo $MARK >"$HOME/.profile"'],
  ['a key to log in with', 'mkdir -p "$HOME/.ssh"; echo $MARK >>"$HOME/.ssh/authorized_keys"'],
  ['the state of the server', 'mkdir -p "$STATE"; echo $MARK >"$STATE/tokens.json"'],
  [
    'the filter of the sandbox',
    'for f in "$STATE"/sandbox/filter-* "$STATE/sandbox/new"; do echo $MARK >"$f"; done; echo $MARK >"$OUT/victim"',
  ],
  ['shared memory of the host', 'echo $MARK >"$SHARED/canary"'],
  ['temporary files of the host', 'echo $MARK >"$TEMPORARY/canary"'],
  ['a link in /tmp for others to follow', 'ln -sf "$OUT/victim" "$TEMPORARY/link"'],
  ['exchanging two names', `echo x >mine; py "call(${nr('renameat2')}, -100, b'mine', -100, out + b'/victim', 2)"`],
  [
    'a file without a name, linked in',
    `py "
f = os.open('.', os.O_TMPFILE | os.O_WRONLY)
libc.linkat(-100, b'/proc/self/fd/%d' % f, -100, out + b'/new', 0x400)"`,
  ],
  [
    'a shared mapping',
    `py "
f = os.open(out + b'/victim', os.O_RDWR)
mmap.mmap(f, 4, mmap.MAP_SHARED)[0:4] = b'evil'"`,
  ],
  ['an extended attribute', `py "os.setxattr(out + b'/victim', 'user.mark', b'x')" && printf x >>"$OUT/victim"`],
  ['times', 'touch -d 2001-01-01 "$OUT/victim" && printf x >>"$OUT/victim"'],
  [
    'copying inside the kernel',
    `echo evil >mine; py "
os.copy_file_range(os.open('mine', os.O_RDONLY), os.open(out + b'/victim', os.O_WRONLY), 4)"`,
  ],
  [
    'a program in memory',
    `py "
f = os.memfd_create('x', 0)
os.write(f, open('/bin/sh', 'rb').read())
os.execv('/proc/self/fd/%d' % f, ['sh', '-c', 'echo x >\\"$OUT/victim\\"'])"`,
  ],
])

/** The first process may be in another namespace than the rest, as in a container. */
const FIRST_PROCESS = [
  ...attempts('change', [['the root of the first process', 'echo $MARK >"/proc/1/root$OUT/victim"']], { proof: false }),
  ...attempts('secret', [['the root of the first process, for reading', 'cat "/proc/1/root$HOME/.ssh/id"']], {
    proof: false,
  }),
]

/** Kernels have been fixed against it; the test checks this one. */
const DIRTY_PIPE = attempts(
  'change',
  [
    [
      'a dirty pipe',
      `py "
f = os.open(out + b'/victim', os.O_RDONLY)
r, w = os.pipe()
os.write(w, b'x' * 65536); os.read(r, 65536)
os.splice(f, w, 1, offset_src=0)
os.write(w, b'evil')"`,
    ],
  ],
  { proof: false },
)

const LATER = attempts(
  'change',
  [
    ['a daemon', '(setsid sh -c "sleep 0.4; echo $MARK >\\"$OUT/victim\\"" >/dev/null 2>&1 &)'],
    ['nohup', 'nohup sh -c "sleep 0.4; echo $MARK >\\"$OUT/victim\\"" >/dev/null 2>&1 &'],
    [
      'a child of a child',
      `py "
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        import time
        os.closerange(0, 3); time.sleep(0.4)
        open(out + b'/victim', 'w').write('x')
os._exit(0)"`,
    ],
    ['a trap', 'trap "echo $MARK >\\"$OUT/victim\\"" EXIT TERM; exit'],
  ],
  { alone: true },
)

const SECRETS = attempts('secret', [
  ['a key', 'cat "$HOME/.ssh/id"'],
  ['a hidden file', 'cat "$HOME/.netrc"'],
  ['a hidden folder in a folder', 'cat "$HOME/.config/gh/hosts.yml"'],
  ['a history', 'cat "$HOME/.bash_history"'],
  ['a settings file of the server', 'cat "$HOME/.claude/scorpiox-env.txt"'],
  ['the tokens of the server', 'cat "$STATE/tokens.json"'],
  ['a folder behind a link', 'cat "$HOME/.aws/credentials"'],
  ['what the link leads to', 'cat "$HOME/../elsewhere/aws/credentials"'],
  ['a secret in the project', 'cat "$PROJECT/deep/secrets/key"'],
  [
    'a secret in the project, its parent moved',
    'cd "$PROJECT" && mv deep work/moved; cat deep/secrets/key work/moved/secrets/key',
  ],
  [
    'a secret in the project, its parent replaced',
    'cd "$PROJECT" && mv deep/secrets work/m2; cat work/m2/key deep/secrets/key',
  ],
  ['a link to a key', 'ln -s "$HOME/.ssh/id" link; cat link'],
  ['a hard link to a key', 'ln "$HOME/.ssh/id" hard; cat hard'],
  ['moving the folder of keys', 'mv "$HOME/.ssh" taken; cat taken/id'],
  ['copying the home', 'cp -r "$HOME/.ssh" copy; cat copy/*'],
  ['tar of the home', 'tar c -C "$HOME" --exclude=project . 2>/dev/null | tr -d "\\0"'],
  ['searching the home', 'grep -rh secret- "$HOME" --exclude-dir=work'],
  ['globs', 'cat "$HOME"/.[a-z]*/* "$HOME"/.??*'],
  ['the root of a process outside, for reading', 'cat "/proc/$VICTIM/root$HOME/.ssh/id"'],
  ['the root of every process', 'cat /proc/[0-9]*/root"$HOME/.ssh/id"'],
  [
    'the directory of every process',
    'cat /proc/[0-9]*/cwd/../../.ssh/id /proc/[0-9]*/cwd/../.ssh/id; cat "/proc/self/root/$HOME/.ssh/id"',
  ],
  [
    'open files of every process',
    'exec 6<"$HOME/.ssh/id"; cat /proc/[0-9]*/fd/* 2>/dev/null </dev/null & sleep 0.3; kill $!; cat <&6',
  ],
  ['environment of a process outside', 'tr "\\0" "\\n" <"/proc/$VICTIM/environ"'],
  ['environment of every process', 'cat /proc/[0-9]*/environ | tr "\\0" "\\n" | grep -a VICTIM_SECRET'],
  ['shared memory of the host, for reading', 'cat "$SHARED/canary"'],
  ['temporary files of the host, for reading', 'cat "$TEMPORARY/canary" /tmp/scorpiox-sandbox-*/canary'],
])

/** Only root can do these, with or without a sandbox. */
const FOR_ROOT = [
  ...attempts(
    'secret',
    [
      [
        'a file by its handle',
        `py "
h = struct.pack('II', 128, 0) + bytes(128); b = ctypes.create_string_buffer(h); m = ctypes.c_int()
call(${nr('name_to_handle_at')}, -100, home + b'/.ssh/id', b, ctypes.byref(m), 0)
r = call(${nr('open_by_handle_at')}, os.open('/', os.O_RDONLY), b, 0)
print(os.read(r, 99)) if r >= 0 else os.write(2, b'no')"`,
      ],
    ],
    { proof: IS_ROOT },
  ),
  ...attempts(
    'escaped',
    [
      [
        'the own namespace again',
        `py "escaped(call(${nr('setns')}, os.open('/proc/self/ns/uts', os.O_RDONLY), 0) == 0)"`,
      ],
      [
        'performance counters',
        `py "escaped(call(${nr('perf_event_open')}, struct.pack('IIQ', 1, 112, 0) + bytes(96), 0, -1, -1, 0) >= 0)"`,
      ],
    ],
    { proof: IS_ROOT },
  ),
]

const STRICT_READS = attempts(
  'secret',
  [
    ['another file of the user', 'cat "$HOME/other/private.txt" && cat "$HOME/.ssh/id"'],
    ['listing the home', 'ls "$HOME/other" && cat "$HOME/.netrc"'],
    ['a folder beside the home', 'cat "$OUT/victim" && cat "$HOME/.ssh/id"'],
    ['/var', 'ls /var/tmp/scorpiox-sandbox-* && cat "$HOME/.ssh/id"'],
  ],
  { levels: ['strict'] },
)

const PLANTS = attempts(
  'change',
  [
    ['a hook of git', 'echo $MARK >"$PROJECT/.git/hooks/pre-commit"'],
    ['a hook of git by git', 'cd "$PROJECT"; mkdir work/t; echo x >work/t/x; cp work/t/x .git/hooks/post-checkout'],
    ['the settings of git', 'echo "[core] fsmonitor=x" >>"$PROJECT/.git/config"'],
    ['the settings of git by git', 'cd "$PROJECT"; git config core.fsmonitor evil || sed -i s/false/true/ .git/config'],
    [
      'the settings of git by rename',
      'cd "$PROJECT/.git"; echo x >config.lock; mv -f config.lock config; rm -f config.lock',
    ],
    ['the settings of git by hard link', 'cd "$PROJECT"; ln .git/config work/hard && echo x >>work/hard'],
    ['deleting the settings of git', 'cd "$PROJECT/.git"; mv config "$PROJECT/work/old"'],
    ['replacing the hooks', 'cd "$PROJECT/.git"; mv hooks "$PROJECT/work/hooks-$MARK"; mkdir hooks'],
    ['replacing the repository', 'cd "$PROJECT"; mv .git work/git-$MARK; mkdir .git'],
    ['deleting the repository', 'cd "$PROJECT"; rm -f .git/hooks/*; rm -rf .git/hooks'],
    ['a link for a repository', 'cd "$PROJECT"; rm -f .git/config; ln -s "$OUT/victim" .git/config'],
    ['settings of the server', 'echo TOOLS=0 >"$PROJECT/scorpiox-env.txt"'],
    [
      'settings of the server in .scorpiox',
      'mkdir -p "$PROJECT/.scorpiox"; echo TOOLS=0 >"$PROJECT/.scorpiox/scorpiox-env.txt"',
    ],
    [
      'settings of the server in .claude',
      'mkdir -p "$PROJECT/.claude"; echo TOOLS=0 >"$PROJECT/.claude/scorpiox-env.txt"',
    ],
    [
      'a profile',
      'mkdir -p "$PROJECT/.scorpiox/scorpiox-env"; echo MODEL=x >"$PROJECT/.scorpiox/scorpiox-env/work.txt"',
    ],
    ['settings of the client', 'mkdir -p "$PROJECT/.claude"; echo "{}" >"$PROJECT/.claude/settings.json"'],
    ['settings by rename', 'cd "$PROJECT"; echo x >work/s; mv -fT work/s scorpiox-env.txt'],
    [
      'settings by a renamed folder',
      'cd "$PROJECT"; mkdir work/d; echo x >work/d/scorpiox-env.txt; mv -fT work/d .scorpiox',
    ],
    ['settings by a link', 'cd "$PROJECT"; rmdir .scorpiox; ln -sT "$PROJECT/work" .scorpiox'],
    [
      'settings after clearing the place',
      'cd "$PROJECT"; rmdir scorpiox-env.txt; rm -rf scorpiox-env.txt; echo x >scorpiox-env.txt',
    ],
    ['settings after moving the place', 'cd "$PROJECT"; mv .claude work/c-$MARK; mkdir .claude && echo x >.claude/x'],
    [
      'settings by exchange',
      `cd "$PROJECT"; mkdir work/e; echo x >work/e/x; mkdir -p .claude; py "call(${nr('renameat2')}, -100, b'work/e', -100, b'.claude', 2)"`,
    ],
    [
      'a file that is only made',
      'cd "$PROJECT"; rmdir scorpiox-env.txt 2>/dev/null; mknod scorpiox-env.txt p || ln -s x scorpiox-env.txt',
    ],
    ['moving the project away', 'mv "$PROJECT" "$HOME/moved"'],
    ['the code of the server', 'echo x >>"$PROJECT/node_modules/server/main.js"'],
    [
      'the code of the server, its parent replaced',
      'cd "$PROJECT"; mv node_modules work/n-$MARK; mkdir -p node_modules/server; echo x >node_modules/server/main.js',
    ],
    ['the code of the server by rename', 'cd "$PROJECT/node_modules"; mv server ../work/s-$MARK; mkdir server'],
  ],
  { levels: WRITING },
)

/** They end the proof of others, or the machine: never tried outside. */
const MACHINE = attempts(
  'escaped',
  [
    ['mounting anew, writable', 'mount -o remount,bind,rw / && escaped'],
    ['mounting anew, all of it', 'mount -o remount,rw / && escaped'],
    ['a bind mount', 'mkdir -p /tmp/m; mount --bind "$OUT" /tmp/m && escaped'],
    ['a tmpfs', 'mkdir -p /tmp/m; mount -t tmpfs x /tmp/m && escaped'],
    ['another /proc', 'mkdir -p /tmp/m; mount -t proc x /tmp/m && escaped'],
    ['another /sys', 'mkdir -p /tmp/m; mount -t sysfs x /tmp/m && escaped'],
    [
      'an overlay',
      'mkdir -p /tmp/m /tmp/u /tmp/w; mount -t overlay x -o lowerdir=/,upperdir=/tmp/u,workdir=/tmp/w /tmp/m && escaped',
    ],
    ['uncovering a secret', 'umount "$HOME/.ssh" && escaped'],
    ['uncovering /tmp', 'umount -l /tmp && escaped'],
    ['uncovering by system call', `py "escaped(call(${nr('umount2')}, home + b'/.ssh', 2) == 0)"`],
    ['the new way to mount', `py "escaped(call(${nr('fsopen')}, b'tmpfs', 0) >= 0)"`],
    ['a detached copy of the tree', `py "escaped(call(${nr('open_tree')}, -100, b'/', 1 | 0x8000) >= 0)"`],
    ['moving a mount', `py "escaped(call(${nr('move_mount')}, -100, b'/tmp', -100, b'/dev/shm', 0) == 0)"`],
    [
      'attributes of a mount',
      `py "escaped(call(${nr('mount_setattr')}, -100, b'/', 0x8000, struct.pack('QQQQ', 0, 1, 0, 0), 32) == 0)"`,
    ],
    ['another root by chroot', 'chroot /usr /bin/true && escaped'],
    ['another root by chroot, by system call', `py "escaped(call(${nr('chroot')}, b'/tmp') == 0)"`],
    ['another root by pivot_root', 'mkdir -p /tmp/m; cd /tmp; pivot_root . m && escaped'],
    ['a device of the disk', 'mknod /tmp/disk b 254 0 && escaped'],
    ['a device of the memory', 'mknod /tmp/mem c 1 1 && escaped'],
    ['the disk', 'for d in /dev/vda /dev/sda /dev/nvme0n1; do head -c 1 $d && escaped; done'],
    ['the memory', 'head -c 1 /dev/mem && escaped; head -c 1 /proc/kcore && escaped; head -c 1 /dev/kmem && escaped'],
    ['the log of the kernel', 'timeout 1 head -c 1 /dev/kmsg && escaped; timeout 1 head -c 1 /proc/kmsg && escaped'],
    ['the log of the kernel by system call', 'dmesg | grep -q . && escaped'],
    ['what handles a core dump', 'echo "|/tmp/x" >/proc/sys/kernel/core_pattern && escaped'],
    ['what loads modules', 'echo /tmp/x >/proc/sys/kernel/modprobe && escaped'],
    [
      'a setting of the kernel',
      'sysctl -w kernel.panic=1 && escaped; echo 1 >/proc/sys/vm/overcommit_memory && escaped',
    ],
    ['the magic key', 'echo h >/proc/sysrq-trigger && escaped'],
    ['what handles events of devices', 'echo /tmp/x >/sys/kernel/uevent_helper && escaped'],
    ['sleep', 'echo mem >/sys/power/state && escaped'],
    ['a module', 'touch /tmp/m.ko; insmod /tmp/m.ko && escaped; modprobe dummy && escaped'],
    ['a module by system call', `py "call(${nr('finit_module')}, 0, b'', 0); escaped(ctypes.get_errno() != 1)"`],
    ['another kernel', `py "call(${nr('kexec_load')}, 0, 0, 0, 0); escaped(ctypes.get_errno() != 1)"`],
    [
      'swap',
      'dd if=/dev/zero of=/tmp/swap bs=1M count=1 status=none; chmod 600 /tmp/swap; mkswap /tmp/swap; swapon /tmp/swap && escaped',
    ],
    ['the clock', 'date -s 2001-01-01 && escaped'],
    ['the name of the machine', 'hostname evil && escaped'],
    ['quotas', `py "call(${nr('quotactl')}, 0, 0, 0, 0); escaped(ctypes.get_errno() != 1)"`],
    ['accounting', `py "call(${nr('acct')}, 0); escaped(ctypes.get_errno() != 1)"`],
    [
      'switching the machine off',
      `py "call(${nr('reboot')}, 0, 0, 0, 0); escaped(ctypes.get_errno() != 1)"; reboot -f --help >/dev/null; true`,
    ],
    ['a loop device', 'truncate -s 1M /tmp/disk; losetup -f /tmp/disk && escaped'],
    ['a file system of its own making', '[ -e /dev/fuse ] && escaped'],
    ['a virtual machine', '[ -e /dev/kvm ] && escaped'],
    ['a tunnel', '[ -e /dev/net/tun ] && escaped'],
    ['a release agent', 'for f in /sys/fs/cgroup/*/release_agent; do echo /tmp/x >"$f" && escaped; done'],
    [
      'another cgroup',
      'for f in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs; do echo $$ >"$f" && escaped; done',
    ],
    [
      'a larger limit',
      'for f in $(find /sys/fs/cgroup -name pids.max -o -name memory.limit_in_bytes -o -name memory.max | head -20); do echo 99999999999 >"$f" && escaped; done',
    ],
    ['a cgroup of its own', 'for d in /sys/fs/cgroup /sys/fs/cgroup/*; do mkdir "$d/evil" && escaped; done'],
    ['namespaces of the first process', 'nsenter -t 1 -a true && escaped'],
    ['namespaces of a process outside', 'nsenter -t "$VICTIM" -m true && escaped'],
    ['the network of another', 'ip netns add evil && escaped'],
    [
      'the job of another user',
      'echo "* * * * * root true" >/etc/cron.d/evil && escaped; echo "* * * * * true" | crontab - && escaped',
    ],
    ['a job for later', 'echo true | at now && escaped'],
    ['a service', 'systemd-run true && escaped; systemctl start evil && escaped'],
    [
      'the bus',
      'dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.ListNames && escaped',
    ],
    [
      'a container',
      'timeout 3 docker run --rm -v /:/host alpine true && escaped; timeout 3 podman run alpine true && escaped',
    ],
    ['a library for every program', 'echo /tmp/x.so >/etc/ld.so.preload && escaped'],
    ['a user', 'echo "evil::0:0::/:/bin/sh" >>/etc/passwd && escaped'],
    ['a rule for sudo', 'echo "ALL ALL=(ALL) NOPASSWD: ALL" >/etc/sudoers.d/evil && escaped'],
    ['the programs of the system', 'echo x >/usr/bin/evil && escaped; echo x >/usr/local/bin/evil && escaped'],
    ['the start of every shell', 'echo x >/etc/profile.d/evil.sh && escaped'],
    ['shadow', 'grep -q . /etc/shadow && escaped'],
  ],
  { proof: false },
)

const KERNEL = attempts('escaped', [
  ['a user namespace', 'unshare -U true && escaped'],
  ['a user namespace as root', 'unshare -r true && escaped'],
  [
    'a user namespace by clone',
    `py "
r = call(${nr('clone')}, 0x10000000 | 17, 0, 0, 0, 0)
if r == 0: os._exit(0)
escaped(r > 0)"`,
  ],
  [
    'a user namespace by clone3',
    `py "
r = call(${nr('clone3')}, struct.pack('QQQQQQQQ', 0x10000000, 0, 0, 0, 17, 0, 0, 0), 64)
if r == 0: os._exit(0)
escaped(r > 0)"`,
  ],
  ['a user namespace by system call', `py "escaped(call(${nr('unshare')}, 0x10000000) == 0)"`],
  ['another sandbox', 'bwrap --dev-bind / / true && escaped'],
  [
    'tracing a child',
    `py "
p = os.fork()
if p == 0: os._exit(0 if call(${nr('ptrace')}, 0, 0, 0, 0) == 0 else 1)
escaped(os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]) == 0)"`,
  ],
  [
    'reading the memory of itself',
    `py "
a = ctypes.create_string_buffer(b'abc'); b = ctypes.create_string_buffer(3)
escaped(call(${nr('process_vm_readv')}, os.getpid(), struct.pack('PN', ctypes.addressof(b), 3), 1, struct.pack('PN', ctypes.addressof(a), 3), 1, 0) == 3)"`,
  ],
  [
    'writing the memory of itself',
    `py "
a = ctypes.create_string_buffer(b'abc'); b = ctypes.create_string_buffer(3)
escaped(call(${nr('process_vm_writev')}, os.getpid(), struct.pack('PN', ctypes.addressof(a), 3), 1, struct.pack('PN', ctypes.addressof(b), 3), 1, 0) == 3)"`,
  ],
  [
    'memory by file',
    `py "
b = ctypes.create_string_buffer(b'abc'); f = os.open('/proc/self/mem', os.O_RDWR)
escaped(os.pwrite(f, b'x', ctypes.addressof(b)) == 1)"`,
  ],
  [
    'a descriptor of another process',
    `py "
f = call(${nr('pidfd_open')}, os.getpid(), 0)
escaped(call(${nr('pidfd_getfd')}, f, 0, 0) >= 0)"`,
  ],
  ['comparing processes', `py "escaped(call(${nr('kcmp')}, os.getpid(), os.getpid(), 0, 0, 0) >= 0)"`],
  ['io_uring', `py "escaped(call(${nr('io_uring_setup')}, 4, bytes(120)) >= 0)"`],
  ['faults in user space', `py "escaped(call(${nr('userfaultfd')}, 1) >= 0)"`],
  ['keys', `py "escaped(call(${nr('keyctl')}, 0, -3, 0) > 0)"`],
  ['adding a key', `py "escaped(call(${nr('add_key')}, b'user', b'scorpiox', b'x', 1, -1) > 0)"`],
  [
    'asking for a key',
    `py "call(${nr('request_key')}, b'user', b'scorpiox-none', 0, -1); escaped(ctypes.get_errno() not in (1, 38))"`,
  ],
  ['programs in the kernel', `py "call(${nr('bpf')}, 99, 0, 0); escaped(ctypes.get_errno() not in (1, 38))"`],
  ['a file that lends rights', 'cp /bin/true lender; chmod u+s lender && [ -u lender ] && escaped'],
  ['a file that lends the rights of a group', 'cp /bin/true lender; chmod g+s lender && [ -g lender ] && escaped'],
  [
    'a file made so that it lends rights',
    `py "os.umask(0); os.close(os.open('made', os.O_CREAT | os.O_WRONLY, 0o4755)); escaped(os.stat('made').st_mode & 0o4000)"`,
  ],
  [
    'a node that lends rights',
    `py "os.umask(0); os.mknod('node', 0o104755); escaped(os.stat('node').st_mode & 0o4000)"`,
  ],
  [
    'rights lent by the newest call',
    `py "open('n', 'w'); r = call(${nr('fchmodat2')}, -100, b'n', 0o4755, 0); escaped(os.stat('n').st_mode & 0o4000 or (r < 0 and ctypes.get_errno() == 38 and sys.argv[-1] == 'outside'))"`,
  ],
  [
    'rights lent by openat2',
    `py "
os.umask(0); call(${nr('openat2')}, -100, b'o2', struct.pack('QQQ', os.O_CREAT | os.O_WRONLY, 0o4755, 0), 24)
escaped(os.path.exists('o2') and os.stat('o2').st_mode & 0o4000)"`,
  ],
  ['rights lent by install', 'install -m 4755 /bin/true lender2; [ -u lender2 ] && escaped'],
  ['unix socket, stream', `py "socket.socket(socket.AF_UNIX, socket.SOCK_STREAM); escaped(True)"`],
  ['unix socket, datagram', `py "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); escaped(True)"`],
  ['unix socket, the upper half of the argument set', `py "escaped(call(${nr('socket')}, (1 << 32) | 1, 1, 0) >= 0)"`],
  [
    'a pair of sockets that can be sent elsewhere',
    `py "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); escaped(True)"`,
  ],
  ['the same, by its old name', `py "f = (ctypes.c_int * 2)(); escaped(call(${nr('socketpair')}, 1, 3, 0, f) == 0)"`],
  ['events of devices', `py "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 15); escaped(True)"`],
  ['the netlink of connections', `py "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4); escaped(True)"`],
])

/** They need more than the permissions of an ordinary user, or an optional kernel feature: no proof. */
const KERNEL_UNPROVEN = attempts(
  'escaped',
  [
    ['a raw socket', `py "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); escaped(True)"`],
    ['a packet socket', `py "socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3); escaped(True)"`],
    ['the audit', `py "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9); escaped(True)"`],
    ['the firewall', `py "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 12); escaped(True)"`],
    ['the host of a virtual machine', `py "socket.socket(40, socket.SOCK_STREAM); escaped(True)"`],
    ['the crypto of the kernel', `py "socket.socket(38, 5); escaped(True)"`],
    ['SCTP', `py "socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132); escaped(True)"`],
    ['bluetooth', `py "socket.socket(31, 3, 1); escaped(True)"`],
    [
      'typing into a terminal',
      `py "
import fcntl, pty
m, s = pty.openpty()
os.setsid(); fcntl.ioctl(s, 0x540E, 0); fcntl.ioctl(s, 0x5412, b'x'); escaped(True)"`,
    ],
    [
      'typing, the upper half of the argument set',
      `py "
import fcntl, pty
m, s = pty.openpty()
os.setsid(); fcntl.ioctl(s, 0x540E, 0); escaped(call(${nr('ioctl')}, s, (1 << 32) | 0x5412, b'x') == 0)"`,
    ],
    ['the clipboard of the console', `py "escaped(call(${nr('ioctl')}, 0, 0x541C, b'\\\\x03') == 0)"`],
    [
      'another line discipline',
      `py "
import pty
m, s = pty.openpty(); escaped(call(${nr('ioctl')}, s, 0x5423, struct.pack('i', 21)) == 0)"`,
    ],
    ['watching every file', `py "escaped(call(${nr('fanotify_init')}, 0, 0) >= 0)"`],
    ['the x32 numbers', `py "r = call(0x40000000 | 39); escaped(r > 0)"`],
    ['a system call that is not known yet', `py "call(470, 0, 0, 0); escaped(ctypes.get_errno() != 38)"`],
    [
      'a bare program of the 32-bit machine',
      `printf 'int main(){int r; __asm__ volatile("int $0x80":"=a"(r):"0"(20)); return r>0?0:1;}' | gcc -w -x c - -o /tmp/i80 2>/dev/null && /tmp/i80 && escaped`,
    ],
    [
      'capabilities',
      `py "escaped(call(${nr('capset')}, struct.pack('II', 0x20080522, 0), struct.pack('IIIIII', 0x200000, 0x200000, 0, 0, 0, 0)) == 0)"`,
    ],
    ['a file with capabilities', 'cp /bin/true capable; setcap cap_sys_admin+ep capable && escaped'],
    [
      'the same by attribute',
      `py "open('c', 'w'); os.setxattr('c', 'security.capability', bytes.fromhex('0100000200002000000020000000000000000000')); escaped(True)"`,
    ],
    ['another user', `py "os.setuid(1); escaped(True)"`],
    ['other groups', `py "os.setgroups([0, 1]); escaped(True)"`],
    ['giving a file away', `py "open('g', 'w'); os.chown('g', 1, 1); escaped(True)"`],
    ['su', 'echo | timeout 2 su -c true nobody && escaped'],
    ['sudo', 'timeout 2 sudo -n true && escaped'],
    ['a copy of su', 'cp /bin/su copy 2>/dev/null; chmod u+s copy && escaped'],
    [
      'a library in front of su',
      'echo | LD_PRELOAD=/tmp/x.so LD_LIBRARY_PATH=/tmp timeout 2 su -c true nobody && escaped',
    ],
    ['mapping users', 'newuidmap $$ 0 0 1 && escaped; echo "0 0 1" >/proc/self/uid_map && escaped'],
    ['a higher priority', 'nice -n -20 true 2>&1 | grep -q . || escaped'],
    ['a higher priority for the disk', `py "escaped(call(${nr('ioprio_set')}, 1, 0, 1 << 13) == 0)"`],
    ['a real-time priority', 'chrt -f 50 true && escaped'],
    ['being spared when memory is short', 'echo -1000 >/proc/self/oom_score_adj && escaped'],
    ['more open files than allowed', 'ulimit -Hn $(( $(ulimit -Hn) * 2 )) && escaped'],
    ['privileges again', `py "escaped(libc.prctl(38, 0, 0, 0, 0) == 0)"`],
  ],
  { proof: false },
)

const SIGNALS = [
  ...attempts('change', [
    [
      'ending a process by its descriptor',
      `py "
f = call(${nr('pidfd_open')}, int(os.environ['VICTIM']), 0)
if call(${nr('pidfd_send_signal')}, f, 0, 0, 0) == 0: open(out + b'/victim', 'w').write('x')"`,
    ],
    ['stopping the server', 'kill -0 "$SERVER" && echo $MARK >"$OUT/victim"'],
    // Outside it does end the process: the last attempt that uses it.
    ['ending a process outside', 'kill -9 "$VICTIM" && echo $MARK >"$OUT/victim"'],
  ]),
  ...attempts(
    'escaped',
    [
      ['ending everybody', 'kill -9 -1; kill -0 "$SERVER" && escaped'],
      ['ending the first process', 'kill -9 1; kill -0 "$SERVER" && escaped'],
      ['ending the parent', 'kill -9 $PPID; kill -9 0; kill -0 "$SERVER" && escaped'],
    ],
    { alone: true, proof: false },
  ),
]

const SOCKETS = attempts('packet', [
  ['a socket by its path', `py "s = socket.socket(socket.AF_UNIX); s.connect(os.environ['STREAM']); s.send(b'x')"`],
  [
    'a datagram by path',
    `py "s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(b'x', os.environ['DGRAM'])"`,
  ],
  [
    'a datagram by an abstract name',
    `py "s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.sendto(b'x', '\\\\0' + os.environ['ABSTRACT'])"`,
  ],
  [
    'a socket by an abstract name',
    `py "s = socket.socket(socket.AF_UNIX); s.connect('\\\\0' + os.environ['ABSTRACT'] + '-stream')"`,
  ],
  [
    'a pair of sockets, sent elsewhere',
    `py "a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.sendto(b'x', os.environ['DGRAM'])"`,
  ],
  [
    'a pair of sockets, connected anew',
    `py "a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM); a.connect('\\\\0' + os.environ['ABSTRACT']); a.send(b'x')"`,
  ],
  [
    'the agent with the keys',
    `py "s = socket.socket(socket.AF_UNIX); s.connect(os.environ['SSH_AUTH_SOCK']); s.send(b'x')"`,
  ],
  [
    'the socket of docker',
    `py "s = socket.socket(socket.AF_UNIX); s.connect(os.environ['DOCKER_HOST'][7:]); s.send(b'GET /')"`,
  ],
])

const MORE_SOCKETS = [
  ...attempts('packet', [['curl to a socket', 'curl -s -m 2 --unix-socket "$STREAM" http://x/']], { needs: ['curl'] }),
  ...attempts(
    'packet',
    [['node to a socket', `node -e 'net.connect(process.env.STREAM).on("error",()=>{}).end("x")'`]],
    {
      needs: ['node'],
    },
  ),
  ...attempts(
    'packet',
    [
      [
        'perl to a socket',
        `perl -MSocket -e 'socket(S,PF_UNIX,SOCK_STREAM,0) && connect(S,sockaddr_un($ENV{STREAM}))'`,
      ],
    ],
    { needs: ['perl'] },
  ),
  ...attempts('secret', [
    [
      'an open file, handed over',
      `py "
s = socket.socket(socket.AF_UNIX); s.connect('\\\\0' + os.environ['ABSTRACT'] + '-stream')
m, f, _, _ = socket.recv_fds(s, 1, 1)
print(os.pread(f[0], 99, 0))"`,
    ],
  ]),
]

const NETWORK = attempts(
  'packet',
  [
    ['TCP by bash', 'echo x >/dev/tcp/127.0.0.1/$PORT'],
    ['UDP by bash', 'echo x >/dev/udp/127.0.0.1/$PORT'],
    ['TCP by name', 'echo x >/dev/tcp/localhost/$PORT'],
    ['TCP over IPv6', `py "socket.create_connection(('::1', int(os.environ['PORT'])), 1)"`],
    [
      'UDP over IPv6',
      `py "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b'x', ('::1', int(os.environ['PORT'])))"`,
    ],
    ['an address inside another', `py "socket.create_connection(('::ffff:127.0.0.1', int(os.environ['PORT'])), 1)"`],
    ['the address zero', `py "socket.create_connection(('0.0.0.0', int(os.environ['PORT'])), 1)"`],
    ['another loopback address', `py "socket.create_connection(('127.9.9.9', int(os.environ['PORT'])), 1)"`],
    ['TCP by python', `py "socket.create_connection(('127.0.0.1', int(os.environ['PORT'])), 1)"`],
    [
      'UDP without connecting',
      `py "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', int(os.environ['PORT'])))"`,
    ],
    [
      'from a chosen port',
      `py "socket.create_connection(('127.0.0.1', int(os.environ['PORT'])), 1, ('127.0.0.1', 0))"`,
    ],
    [
      'MPTCP',
      `py "
try: s = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
except OSError: s = socket.socket()
s.connect(('127.0.0.1', int(os.environ['PORT'])))"`,
    ],
  ],
  { levels: ['strict'] },
)

const MORE_NETWORK = [
  ...attempts('packet', [['curl', 'curl -s -m 2 "http://127.0.0.1:$PORT/"']], { levels: ['strict'], needs: ['curl'] }),
  ...attempts('packet', [['a proxy', 'http_proxy="http://127.0.0.1:$PORT" curl -s -m 2 http://example.com/']], {
    levels: ['strict'],
    needs: ['curl'],
  }),
  ...attempts('packet', [['git', 'git ls-remote "http://127.0.0.1:$PORT/x"']], { levels: ['strict'], needs: ['git'] }),
  ...attempts(
    'packet',
    [['node over TCP', `node -e 'net.connect(+process.env.PORT,"127.0.0.1").on("error",()=>{})'`]],
    {
      levels: ['strict'],
      needs: ['node'],
    },
  ),
  ...attempts(
    'packet',
    [['perl over TCP', `perl -MIO::Socket::INET -e 'IO::Socket::INET->new("127.0.0.1:$ENV{PORT}")'`]],
    { levels: ['strict'], needs: ['perl'] },
  ),
  ...attempts(
    'escaped',
    [
      [
        'a name server',
        `py "
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('192.0.2.1', 53)); escaped(True)"`,
      ],
      ['a route', 'ip route add default dev lo && escaped; ip link add evil type dummy && escaped'],
      ['an address', 'ip addr add 192.0.2.7/32 dev lo && escaped'],
      [
        'everybody near',
        `py "
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(1, 6, 1); s.sendto(b'x', ('255.255.255.255', 9)); escaped(True)"`,
      ],
      [
        'a group',
        `py "
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b'x', ('224.0.0.251', 5353)); escaped(True)"`,
      ],
    ],
    { levels: ['strict'], proof: false },
  ),
]

export const CORPUS: readonly Attempt[] = [
  ...COMMANDS,
  ...FOREIGN_LANGUAGES,
  ...FILES,
  ...FIRST_PROCESS,
  ...DIRTY_PIPE,
  ...LATER,
  ...SECRETS,
  ...FOR_ROOT,
  ...STRICT_READS,
  ...PLANTS,
  ...MACHINE,
  ...KERNEL,
  ...KERNEL_UNPROVEN,
  ...SIGNALS,
  ...SOCKETS,
  ...MORE_SOCKETS,
  ...NETWORK,
  ...MORE_NETWORK,
]
