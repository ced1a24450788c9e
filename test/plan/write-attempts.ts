// Ways of writing that plan mode must prevent, each as a bash snippet run in the project. They are executed in plan
// mode and, where harmless, outside of it: an attempt that never works proves nothing.
//
// Variables: $PROJECT, $HOME, $STATE the directory of the server, $GRANTED a directory of SANDBOX_WRITE, $SESSION the
// plan directory, $OTHER that of another session, $SERVER the server's process, $DIST its program, $OUT, $STREAM a
// socket, $TEMPORARY and $SHARED directories of the host in /tmp and /dev/shm; `py CODE` for raw system calls.

export interface WriteAttempt {
  readonly name: string
  readonly how: string
  /** Whether it can be shown to work outside of plan mode. */
  readonly proof: boolean
  readonly needs: readonly string[]
}

type ScriptVariables = readonly [name: string, how: string]

function attempts(
  list: readonly ScriptVariables[],
  options: Partial<Pick<WriteAttempt, 'proof' | 'needs'>> = {},
): readonly WriteAttempt[] {
  return list.map(([name, how]) => ({
    name,
    how,
    proof: true,
    ...options,
    needs: [...(options.needs ?? []), ...(/\bpy\b/.test(how) ? ['py'] : [])],
  }))
}

const REDIRECTIONS = attempts([
  ['a new file', 'echo x >new'],
  ['over a file', 'echo x >file'],
  ['over a file, with force', 'set -C; echo x >|file'],
  ['behind a file', 'echo x >>file'],
  ['emptying a file', ': >file'],
  ['a descriptor', 'exec 7>new; echo x >&7'],
  ['reading and writing', 'exec 7<>file; echo x >&7'],
  ['a here document', 'cat >new <<X\nx\nX'],
  ['a descriptor opened anew', 'exec 7<file; echo x >/proc/self/fd/7'],
  ['in a subfolder', 'echo x >folder/new'],
  ['in the parent', 'echo x >../new'],
  ['tee', 'echo x | tee file'],
  ['tee -a', 'echo x | tee -a file'],
  ['a function and eval', 'f() { eval "echo x >$1"; }; f new'],
  ['xargs', 'echo new | xargs touch'],
  ['another shell, without an environment', 'env -i /bin/sh -c "echo x >$PROJECT/new"'],
])

const PROGRAMS = attempts([
  ['dd', 'echo x | dd of=file status=none'],
  ['dd in place', 'echo x | dd of=file conv=notrunc status=none'],
  ['cp', 'cp file new'],
  ['cp over a file', 'cp --remove-destination run.sh file'],
  ['cp -a of a folder', 'cp -a folder new'],
  ['mv', 'mv file new'],
  ['mv of a folder', 'mv folder new'],
  ['mv to the private /tmp', 'mv file /tmp/taken.$$'],
  ['ln', 'ln file new'],
  ['ln -s', 'ln -s file new'],
  ['rm', 'rm -f file'],
  ['rm -r', 'rm -rf folder'],
  ['unlink', 'unlink file'],
  ['rmdir', 'rmdir empty'],
  ['mkdir', 'mkdir new'],
  ['mkdir -p', 'mkdir -p new/deep'],
  ['mkfifo', 'mkfifo new'],
  ['touch', 'touch new'],
  ['another time', 'touch -d 2001-01-01 file'],
  ['chmod', 'chmod 600 file'],
  ['chmod -R', 'chmod -R o-r folder'],
  ['truncate', 'truncate -s 0 file'],
  ['fallocate', 'fallocate -l 4096 file'],
  ['install', 'install -m 755 file new'],
  ['mktemp', 'mktemp -p .'],
  ['split', 'split -b 1 file new'],
  ['sed -i', 'sed -i s/x/y/ file'],
  ['awk', `awk 'BEGIN { print "x" >"new" }'`],
  ['find -delete', 'find . -name file -delete'],
  ['find -exec', 'find . -name file -exec cp {} new \\;'],
  ['tar', 'tar c file | tar x -C folder'],
  ['sort -o', 'sort file -o new'],
  ['python', `py "open('new', 'w').write('x')"`],
])

const FOREIGN = [
  ...attempts([['chown', 'chown 1:1 file']], { proof: process.getuid?.() === 0 }),
  ...attempts([['rsync', 'rsync file new']], { needs: ['rsync'] }),
  ...attempts([['perl -i', 'perl -pi -e s/x/y/ file']], { needs: ['perl'] }),
  ...attempts([['perl', `perl -e 'open F, ">new"; print F 1'`]], { needs: ['perl'] }),
  ...attempts([['node', `node -e 'fs.writeFileSync("new", "x")'`]], { needs: ['node'] }),
  ...attempts([['ed', `printf 'a\\nx\\n.\\nw\\n' | ed -s file`]], { needs: ['ed'] }),
  ...attempts([['patch', `printf -- '--- file\\n+++ file\\n@@ -1 +1 @@\\n-x\\n+y\\n' | patch -p0 file`]], {
    needs: ['patch'],
  }),
  ...attempts([['curl', 'curl -s -o new file:///etc/hostname']], { needs: ['curl'] }),
  ...attempts([['gcc', `echo 'int x;' | gcc -c -x c - -o new.o`]], { needs: ['gcc'] }),
]

const GIT = attempts(
  [
    ['git init', 'git init -q sub'],
    ['git add', 'git add file'],
    ['git commit', 'git -c user.name=x -c user.email=x@y commit -q --allow-empty -m x'],
    ['git config', 'git config user.name x'],
    ['git checkout -b', 'git checkout -q -b other'],
    ['git stash', 'git stash create; git -c user.name=x -c user.email=x@y stash -q -u'],
    ['git clean', 'git clean -fdqx empty file'],
    ['git hash-object', 'git hash-object -w file'],
    ['a hook', `printf '#!/bin/sh\\ntouch hooked\\n' >.git/hooks/pre-commit`],
    ['git alias', `git -c alias.x='!touch new' x`],
  ],
  { needs: ['git'] },
)

const LONG_WAYS = [
  ...attempts([
    ['/proc/self/root', 'echo x >"/proc/self/root$PROJECT/new"'],
    ['/proc/self/cwd', 'echo x >/proc/self/cwd/new'],
    ['the root of every process', 'for p in /proc/[0-9]*; do echo x >"$p/root$PROJECT/new"; done'],
    [
      'the directory of every process there',
      'for p in /proc/[0-9]*; do [ "$(readlink "$p/cwd")" = "$PROJECT" ] && echo x >"$p/cwd/new"; done',
    ],
    ['the directory of the server', 'echo x >"/proc/$SERVER/cwd/new"'],
    [
      'open files of the server',
      'for f in /proc/$SERVER/fd/*; do [ -d "$f" ] && echo x >"$f/new"; done; echo x >"/proc/$SERVER/cwd/new"',
    ],
    ['a child that outlives the command', '(sleep 0.3; echo x >new) >/dev/null 2>&1 & disown'],
    ['nohup', `nohup sh -c 'sleep 0.2; echo x >new' >/dev/null 2>&1 &`],
    ['setsid', `setsid -f sh -c 'sleep 0.2; echo x >new'`],
    ['a trap at the end', `trap 'echo x >new' EXIT; exit 0`],
    [
      'a fork of a fork',
      `py "
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        import time; time.sleep(0.2); open('new', 'w').write('x')
    os._exit(0)"`,
    ],
    [
      'a program in memory',
      `py "
f = os.memfd_create('x', 0); os.write(f, b'#!/bin/sh\\necho x >new\\n')
os.execve('/proc/self/fd/%d' % f, ['x'], dict(os.environ))"`,
    ],
    [
      'a shared mapping',
      `py "
f = os.open('file', os.O_RDWR)
mmap.mmap(f, 1, mmap.MAP_SHARED)[0:1] = b'y'"`,
    ],
    [
      'a file without a name, linked in',
      `py "
f = os.open('.', os.O_TMPFILE | os.O_WRONLY)
libc.linkat(-100, b'/proc/self/fd/%d' % f, -100, b'new', 0x400)"`,
    ],
    ['an extended attribute', `py "os.setxattr('file', 'user.mark', b'x')"`],
    ['times to the nanosecond', `py "os.utime('file', ns=(1, 1))"`],
    ['a socket', `py "socket.socket(socket.AF_UNIX).bind('new')"`],
    [
      'a descriptor that was passed on',
      `py "
a, b = socket.socketpair()
f = os.open('new', os.O_CREAT | os.O_WRONLY); socket.send_fds(a, [b'x'], [f])"`,
    ],
  ]),
  ...attempts(
    [
      ['mounting the root anew', 'mount -o remount,rw / ; mount -o remount,bind,rw "$PROJECT"; echo x >new'],
      ['a bind mount', 'mkdir /tmp/m; mount --bind "$PROJECT" /tmp/m && echo x >/tmp/m/new'],
      ['taking mounts away', 'umount -l "$PROJECT"; umount -l "$SESSION"; echo x >new'],
      ['namespaces of its own', `unshare -rm sh -c 'mount -o remount,bind,rw /; echo x >new'`],
      ['namespaces of the first process', `nsenter -t 1 -m sh -c "echo x >$PROJECT/new"`],
      ['namespaces of the server', `nsenter -t "$SERVER" -m sh -c "echo x >$PROJECT/new"`],
      ['another root', `chroot /proc/1/root sh -c "echo x >$PROJECT/new"`],
      ['a sandbox in the sandbox', `bwrap --dev-bind / / sh -c 'echo x >new'`],
      ['sudo', `sudo -n sh -c "echo x >$PROJECT/new"`],
      ['at', `echo "echo x >$PROJECT/new" | at now`],
      ['cron', `echo "* * * * * echo x >$PROJECT/new" | crontab -`],
      ['systemd', `systemd-run --user --wait sh -c "echo x >$PROJECT/new"`],
      ['a container', `docker run --rm -v "$PROJECT:/p" busybox touch /p/new`],
      [
        'a service behind a socket',
        `py "
s = socket.socket(socket.AF_UNIX); s.connect(os.environ['STREAM']); s.send(b'write'); open('new', 'w')"`,
      ],
      [
        'tracing the server',
        `py "
print(libc.ptrace(16, int(os.environ['SERVER']), 0, 0)); open('new', 'w')"`,
      ],
      ['the memory of the server', `py "open('/proc/%s/mem' % os.environ['SERVER'], 'r+b')"; echo x >new`],
      ['stopping the server', 'kill -STOP "$SERVER"; kill -9 "$SERVER"; echo x >new'],
      ['a device', 'mknod new c 1 3'],
    ],
    { proof: false },
  ),
]

const PLACES = [
  ...attempts([
    ['the folder of SANDBOX_WRITE', 'echo x >"$GRANTED/new"'],
    ['the home', 'echo x >>"$HOME/.bashrc"'],
    ['a new file in the home', 'echo x >"$HOME/.profile"'],
    ['a folder of the user', 'echo x >"$HOME/other/new"'],
    ['elsewhere', 'echo x >"$OUT/victim"'],
    ['the .scorpiox of the project', 'echo x >.scorpiox/scorpiox-env.txt'],
    ['what keeps sessions out of git', 'echo x >>.scorpiox/sessions/.gitignore'],
    ['another session', 'echo x >"$OTHER/plan.md"'],
    ['a new session', 'mkdir .scorpiox/sessions/new'],
    ['a settings file', 'echo SANDBOX=off >scorpiox-env.txt'],
    ['.claude', 'mkdir -p .claude; echo x >.claude/new'],
    ['.scorpiox moved away', 'mv .scorpiox new'],
    ['sessions moved away', 'mv .scorpiox/sessions .scorpiox/new'],
    ['out of the folder of the plan by ..', 'cd "$SESSION" && echo x >../../../new'],
    ['out of it by a link', 'ln -s "$PROJECT" "$SESSION/link"; echo x >"$SESSION/link/new"; rm -f "$SESSION/link"'],
    [
      'out of it by a link to a file',
      'ln -s "$PROJECT/file" "$SESSION/link"; echo x >"$SESSION/link"; rm -f "$SESSION/link"',
    ],
    ['out of it by a hard link', 'ln file "$SESSION/hard" && echo x >"$SESSION/hard"; rm -f "$SESSION/hard"'],
    ['from it by a hard link', 'echo x >"$SESSION/made"; ln "$SESSION/made" new; rm -f "$SESSION/made"'],
    ['from it by a rename', 'echo x >"$SESSION/made"; mv "$SESSION/made" new; rm -f "$SESSION/made"'],
    ['the tokens of the server', 'echo x >"$STATE/tokens.json"'],
    ['temporary files of the host', 'echo x >"$TEMPORARY/canary"'],
    ['shared memory of the host', 'echo x >"$SHARED/canary"'],
  ]),
  ...attempts(
    [
      ['the mark of the plan', 'rm -rf "$STATE/plans"; mkdir "$STATE/plans"; echo x >new'],
      ['what is remembered', 'rm -f "$STATE"/state.db*; : >"$STATE/state.db"; echo x >new'],
      [
        'what is remembered, as a database',
        `py "
import sqlite3; c = sqlite3.connect(os.environ['STATE'] + '/state.db')
c.execute('UPDATE plans SET outcome = 1'); c.commit()"; echo x >new`,
      ],
      [
        'the decision of the user, as a database',
        `py "
import sqlite3; c = sqlite3.connect(os.environ['STATE'] + '/state.db')
c.execute('UPDATE plan_approvals SET user_asked = 0, decided_at = 1'); c.commit()"; echo x >new`,
      ],
      [
        'the program, to end plan mode',
        `"$NODE" "$DIST/scorpiox-code.js" call PlanMode '{"action":"reset"}'; echo x >new`,
      ],
      [
        'the program, to end plan mode with the settings of the server',
        `STATE_DIR="$STATE" PLAN_APPROVAL=model "$NODE" "$DIST/scorpiox-code.js" call PlanMode '{"action":"reset"}'; echo x >new`,
      ],
      [
        'the inbox, to approve',
        `printf '\\ray' | STATE_DIR="$STATE" timeout 3 "$NODE" "$DIST/scorpiox-code.js" inbox; echo x >new`,
      ],
      [
        'the sockets of the console',
        `for s in "$STATE"/desks/*.sock; do echo '{"kind":"presence","user":"x","watching":true}' | py "
s = socket.socket(socket.AF_UNIX); s.connect('$s'); s.send(sys.stdin.buffer.read())"; done; echo x >new`,
      ],
      ['the program of the server', 'echo x >"$DIST/new"; echo >>"$DIST/scorpiox-code.js"'],
      [
        'the folder of the plan itself',
        'rm -rf "$SESSION"; mv "$SESSION" new; ln -s "$PROJECT" "$SESSION"; echo x >"$SESSION/new"',
      ],
      ['a system file', 'echo x >/etc/scorpiox-new; echo x >/usr/scorpiox-new'],
    ],
    { proof: false },
  ),
]

export const WRITE_ATTEMPTS: readonly WriteAttempt[] = [
  ...REDIRECTIONS,
  ...PROGRAMS,
  ...FOREIGN,
  ...GIT,
  ...LONG_WAYS,
  ...PLACES,
]
