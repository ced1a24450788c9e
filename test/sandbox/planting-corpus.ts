// Ways to plant something that the server, a client or the person later loads, starts or obeys: packages, programs,
// settings, sockets, parts of a git repository. Used with those of escape-corpus.ts, in the same form.

import { listProjectNames } from '@scorpiox/server/clients/client-paths'
import { type Attempt, attempts, nr, WRITING } from './escape-corpus.js'

const exchange = (one: string, other: string): string =>
  `py "call(${nr('renameat2')}, -100, b'${one}', -100, b'${other}', 2)"`
const linkNameless = (path: string): string => `py "
f = os.open('.', os.O_TMPFILE | os.O_WRONLY)
os.write(f, b'evil')
libc.linkat(-100, b'/proc/self/fd/%d' % f, -100, b'${path}', 0x400)"`
const inProject = (how: string): string => `cd "$PROJECT"; ${how}`

/** The server is in node_modules/server, and so are its packages. */
const PACKAGES = attempts(
  'change',
  [
    ['a package', 'mkdir -p "$PROJECT/node_modules/evil"; echo x >"$PROJECT/node_modules/evil/index.js"'],
    ['a package with a scope', inProject('mkdir -p node_modules/@evil/x; echo x >node_modules/@evil/x/index.js')],
    ['a package as one file', inProject('echo x >node_modules/evil.js')],
    ['a package as a link', inProject('ln -s "$PROJECT/work" node_modules/evil')],
    ['a package as a link to a folder in work', inProject('mkdir work/pk1; ln -s ../work/pk1 node_modules/pk1')],
    ['a package by rename', inProject('mkdir work/pk2; mv work/pk2 node_modules/pk2')],
    ['a package by hard link', inProject('echo x >work/pk3.js; ln work/pk3.js node_modules/pk3.js')],
    ['a package without a name, linked in', inProject(linkNameless('node_modules/pk4.js'))],
    [
      'a package by tar',
      inProject('mkdir -p work/tar/pk5; touch work/tar/pk5/i.js; tar c -C work/tar . | tar x -C node_modules'),
    ],
    ['a package by cp -a', inProject('mkdir -p work/pk6; cp -aT work/pk6 node_modules/pk6')],
    ['a package by install', inProject('echo x >work/pk7; install -D work/pk7 node_modules/pk7/index.js')],
    ['the file of a package', inProject('echo x >node_modules/sharp/index.js')],
    ['the file of a package, appended', inProject('echo x >>node_modules/sharp/index.js')],
    [
      'the file of a package by sed',
      inProject('sed -i s/a/b/ node_modules/sharp/index.js; rm -f node_modules/sharp/sed*'),
    ],
    [
      'the file of a package by dd',
      inProject('printf evil | dd of=node_modules/sharp/index.js conv=notrunc status=none'),
    ],
    ['the file of a package by rename', inProject('echo x >work/i.js; mv -f work/i.js node_modules/sharp/index.js')],
    [
      'the file of a package by exchange',
      inProject(`echo x >work/j.js; ${exchange('work/j.js', 'node_modules/sharp/index.js')}`),
    ],
    [
      'the file of a package by a hard link to it',
      inProject('ln node_modules/sharp/index.js work/hl.js && echo x >work/hl.js'),
    ],
    ['the file of a package through /proc/self/cwd', inProject('echo x >/proc/self/cwd/node_modules/sharp/index.js')],
    [
      'the file of a package through an open folder',
      inProject('exec 7<node_modules/sharp; echo x >/proc/self/fd/7/index.js'),
    ],
    [
      'the file of a package, its descriptor opened again',
      inProject('exec 7<node_modules/sharp/index.js; echo x >/proc/self/fd/7'),
    ],
    [
      'the file of a package by a mapping',
      inProject(`py "
f = os.open('node_modules/sharp/index.js', os.O_RDWR)
mmap.mmap(f, 4, mmap.MAP_SHARED)[0:4] = b'evil'"`),
    ],
    ['the file of a package, truncated', inProject('truncate -s 0 node_modules/sharp/index.js')],
    ['what a package is', inProject(`echo '{"main":"../../work/x.js"}' >node_modules/sharp/package.json`)],
    ['a package deleted', inProject('rm -rf node_modules/sharp')],
    ['a package moved away', inProject('mv node_modules/sharp work/sharp-moved')],
    ['all packages moved away', inProject('mv node_modules work/nm-moved; mkdir node_modules')],
    ['all packages by a link', inProject('mkdir work/nm; mv node_modules work/nm-old; ln -sT work/nm node_modules')],
    ['all packages by exchange', inProject(`mkdir work/nm2; ${exchange('work/nm2', 'node_modules')}`)],
    ['packages of the server itself', inProject('mkdir -p node_modules/server/node_modules/sharp')],
    ['what the server is', inProject(`echo '{"name":"sharp","exports":"./x.js"}' >node_modules/server/package.json`)],
    ['packages above the server', inProject('mkdir -p node_modules/node_modules/sharp')],
    ['a program of a package', inProject('mkdir -p node_modules/.bin; echo x >node_modules/.bin/server')],
    ['the list of installed packages', inProject('echo "{}" >node_modules/.package-lock.json')],
    ['the rights of a package', inProject('chmod 777 node_modules/sharp/index.js')],
    ['a mode for the folder of packages', inProject('chmod 700 node_modules')],
  ],
  { levels: WRITING },
)

/** The file of each client that would start a program: missing before, except .mcp.json and .vscode. */
const CLIENT_FILES = attempts(
  'change',
  listProjectNames()
    .filter((name) => name !== '.claude')
    .map((name) => [
      `${name} of a client`,
      inProject(
        `if [ -d ${name} ]; then echo x >${name}/mcp.json; fi; rm -rf ${name}; mkdir -p ${name} && echo x >${name}/settings.json; rm -rf ${name}; echo x >${name}`,
      ),
    ]),
  { levels: WRITING },
)

const CLIENT_WAYS = attempts(
  'change',
  [
    ['hooks of a client', inProject('mkdir -p .claude; echo "{}" >.claude/settings.local.json')],
    ['a command of a client', inProject('mkdir -p .claude/commands; echo x >.claude/commands/x.md')],
    ['a skill in .claude', inProject('mkdir -p .claude/skills/x; echo x >.claude/skills/x/SKILL.md')],
    ['a skill in .agents', inProject('mkdir -p .agents/skills/x; echo x >.agents/skills/x/SKILL.md')],
    ['the servers of a client, appended', inProject('echo x >>.mcp.json')],
    ['the servers of a client by rename', inProject('echo x >work/m.json; mv -f work/m.json .mcp.json')],
    [
      'the servers of a client by exchange',
      inProject(`echo x >work/m2.json; ${exchange('work/m2.json', '.mcp.json')}`),
    ],
    ['the servers of a client by a hard link', inProject('ln .mcp.json work/m3.json && echo x >work/m3.json')],
    ['the servers of a client by a link', inProject('rm -f .mcp.json; ln -s work/x .mcp.json')],
    ['the servers of a client, deleted', inProject('rm -f .mcp.json')],
    ['the servers of a client, moved', inProject('mv .mcp.json work/m4.json')],
    ['the servers of a client by python', inProject(`py "open('.mcp.json', 'r+').write('evil')"`)],
    ['tasks of an editor', inProject('echo x >.vscode/tasks.json')],
    ['new tasks of an editor', inProject('echo x >.vscode/launch.json')],
    [
      'tasks of an editor, its folder replaced',
      inProject('mv .vscode work/vs; mkdir .vscode; echo x >.vscode/tasks.json'),
    ],
    ['tasks of an editor, its folder exchanged', inProject(`mkdir work/vs2; ${exchange('work/vs2', '.vscode')}`)],
    ['tasks of an editor without a name, linked in', inProject(linkNameless('.vscode/settings.json'))],
    ['a held name, removed', inProject('rmdir .cursor; mkdir .cursor && echo x >.cursor/mcp.json')],
    ['a held name by a link', inProject('rmdir .codex; ln -sT "$PROJECT/work" .codex')],
    ['a held name by a rename', inProject('mkdir work/g; echo x >work/g/settings.json; mv -fT work/g .gemini')],
    ['a held name by exchange', inProject(`mkdir -p work/q .qwen; echo x >work/q/x; ${exchange('work/q', '.qwen')}`)],
    ['a held name, another mode', inProject('mkdir -p .zed; chmod 777 .zed')],
    ['a held name, without its mark', inProject('mkdir -p .continue; chmod 755 .continue; chmod 700 .continue')],
    ['a file where a held name is', inProject('rmdir .windsurf; echo "{}" >.windsurf')],
    ['a pipe where a held name is', inProject('rmdir .devin; mkfifo .devin')],
    ['an existing file of a client', inProject('echo x >opencode.json')],
    ['an existing file of a client by rename', inProject('echo x >work/oc; mv -f work/oc opencode.json')],
  ],
  { levels: WRITING },
)

const REPOSITORY = attempts(
  'change',
  [
    ['commondir', inProject('echo "$PROJECT/work" >.git/commondir')],
    ['commondir by rename', inProject('echo x >work/cd; mv -f work/cd .git/commondir')],
    ['commondir by a link', inProject('rm -f .git/commondir; ln -s ../work/cd2 .git/commondir')],
    ['commondir by a hard link', inProject('echo x >work/cd3; ln -f work/cd3 .git/commondir')],
    [
      'commondir by exchange',
      inProject(`echo x >work/cd4; echo . >>.git/commondir; ${exchange('work/cd4', '.git/commondir')}`),
    ],
    ['commondir without a name, linked in', inProject(`rm -f .git/commondir; ${linkNameless('.git/commondir')}`)],
    ['commondir, appended', inProject('echo x >>.git/commondir')],
    ['commondir, writable first', inProject('touch .git/commondir; chmod 644 .git/commondir; echo x >.git/commondir')],
    ['commondir of the root as a file', inProject('rmdir commondir; echo work >commondir')],
    ['commondir of the root by a link', inProject('rmdir commondir; ln -sT work commondir')],
    ['refs of a bare repository', inProject('mkdir -p refs/heads; touch refs/heads/main')],
    ['refs of a bare repository by rename', inProject('mkdir -p work/r/heads; mv -fT work/r refs')],
    ['refs of a bare repository by a link', inProject('rmdir refs; ln -sT .git/refs refs')],
    ['a worktree elsewhere, its commondir', inProject('echo "$PROJECT/work" >.git/worktrees/outer/commondir')],
    ['a worktree elsewhere, its settings', inProject('echo x >.git/worktrees/outer/config.worktree')],
    ['a worktree elsewhere, its path', inProject('echo "$PROJECT/work/.git" >.git/worktrees/outer/gitdir')],
    ['a worktree elsewhere, replaced', inProject('mv .git/worktrees/outer work/wt1; mkdir -p .git/worktrees/outer')],
    ['a worktree elsewhere, deleted', inProject('rm -rf .git/worktrees/outer')],
    ['all worktrees replaced', inProject('mv .git/worktrees work/wts; mkdir .git/worktrees')],
    ['settings of a worktree', inProject('echo "[core] fsmonitor=x" >.git/config.worktree')],
    ['settings of a worktree by rename', inProject('echo x >work/cw; mv -f work/cw .git/config.worktree')],
    ['the repository as a file', inProject('mv .git work/g1; echo "gitdir: work" >.git')],
    ['the repository as a link', inProject('mv .git work/g2; ln -sT work/g2 .git')],
    ['the repository by exchange', inProject(`mkdir work/g3; ${exchange('work/g3', '.git')}`)],
    ['a hook by a link', inProject('ln -s ../../work/x .git/hooks/post-commit')],
    ['a hook by a hard link', inProject('echo x >work/hk; ln work/hk .git/hooks/pre-push')],
    ['a hook without a name, linked in', inProject(linkNameless('.git/hooks/post-merge'))],
    ['the hooks by exchange', inProject(`mkdir work/hks; ${exchange('work/hks', '.git/hooks')}`)],
    ['the hooks by a link', inProject('mv .git/hooks work/hks2; ln -sT ../work .git/hooks')],
    ['the settings by exchange', inProject(`echo x >work/cf; ${exchange('work/cf', '.git/config')}`)],
    [
      'the settings by a mapping',
      inProject(`py "
f = os.open('.git/config', os.O_RDWR)
mmap.mmap(f, 4, mmap.MAP_SHARED)[0:4] = b'evil'"`),
    ],
  ],
  { levels: WRITING },
)

const GIT_COMMANDS = attempts(
  'change',
  [
    ['git config', inProject('git config core.pager evil')],
    ['git config --file', inProject('git config --file .git/config core.editor evil')],
    ['git config --worktree', inProject('git config --worktree core.fsmonitor evil')],
    ['git config --global', 'git config --global core.fsmonitor evil'],
    ['git remote add', inProject('git remote add evil ext::evil')],
    [
      'git init with a template',
      inProject('mkdir -p work/tp/hooks; echo x >work/tp/hooks/post-checkout; git init -q --template=work/tp .'),
    ],
    ['git init elsewhere', inProject('git init -q --separate-git-dir=work/elsewhere .')],
    ['git sparse-checkout', inProject('git sparse-checkout init')],
    ['git maintenance', inProject('git maintenance register')],
    ['git submodule', inProject('git config -f .git/config submodule.x.update "!evil"')],
    ['git bundle over the settings', inProject('git config alias.x "!evil"')],
  ],
  { levels: WRITING, needs: ['git'] },
)

/** What the server reads or runs at its next start, wherever it is. */
const SERVER_SETTINGS = attempts(
  'change',
  [
    ['settings beside the program', inProject('echo TOOLS=0 >node_modules/server/scorpiox-env.txt')],
    [
      'a profile beside the program',
      inProject('mkdir -p node_modules/server/scorpiox-env; echo x >node_modules/server/scorpiox-env/x.txt'),
    ],
    ['a new file of the program', inProject('echo x >node_modules/server/part.js')],
    ['the runtime', inProject('echo x >tools/node')],
    ['the runtime, appended', inProject('echo x >>tools/node')],
    ['the runtime by rename', inProject('echo x >work/node; mv -f work/node tools/node')],
    ['the runtime by exchange', inProject(`echo x >work/node2; ${exchange('work/node2', 'tools/node')}`)],
    ['the runtime, its folder replaced', inProject('mv tools work/tools; mkdir tools; echo x >tools/node')],
    ['the runtime, its folder linked', inProject('mv tools work/tools2; ln -sT work/tools2 tools')],
    ['the runtime by a hard link', inProject('ln tools/node work/node3 && echo x >work/node3')],
    ['the runtime, deleted', inProject('rm -f tools/node')],
    ['a script that is a tool', inProject('echo x >scripts/tool')],
    ['a new script that is a tool', inProject('printf "#!/bin/sh\\n" >scripts/new; chmod +x scripts/new')],
    ['a script by rename', inProject('echo x >work/tool; mv -f work/tool scripts/tool')],
    ['all scripts replaced', inProject('mv scripts work/scripts; mkdir scripts')],
    ['the certificate of the server', inProject('echo x >tls.pem')],
    ['the certificate of the server by rename', inProject('echo x >work/tls; mv -f work/tls tls.pem')],
    ['the certificate of the server by a link', inProject('rm -f tls.pem; ln -s work/tls2 tls.pem')],
    ['a session of the server', inProject('mkdir -p .scorpiox/sessions/evil; echo x >.scorpiox/sessions/evil/plan.md')],
    [
      'settings of the user by a link in the project',
      inProject('ln -s "$HOME/.scorpiox-env.txt" work/env; echo x >work/env'),
    ],
  ],
  { levels: WRITING },
)

/** What the programs of the person obey, in the home and on the machine. */
const HOME_FILES = attempts('change', [
  ['a program in the home', 'mkdir -p "$HOME/.local/bin"; echo x >"$HOME/.local/bin/bash"'],
  ['the start of a login shell', 'echo x >"$HOME/.bash_profile"'],
  ['the start of another shell', 'echo x >"$HOME/.zshenv"'],
  ['the start of a third shell', 'mkdir -p "$HOME/.config/fish"; echo x >"$HOME/.config/fish/config.fish"'],
  ['settings of git for the user', 'printf "[core]\\nfsmonitor=x\\n" >"$HOME/.gitconfig"'],
  ['settings of git in .config', 'mkdir -p "$HOME/.config/git"; echo x >"$HOME/.config/git/config"'],
  ['settings of npm', 'echo "script-shell=x" >"$HOME/.npmrc"'],
  ['settings of Bun', `echo 'preload=["x"]' >"$HOME/.bunfig.toml"`],
  ['packages of the home', 'mkdir -p "$HOME/.node_modules/sharp"'],
  ['packages above the project', 'mkdir -p "$HOME/node_modules/sharp"'],
  ['an environment above the project', 'echo "SANDBOX=off" >"$HOME/.env"'],
  ['a service of the user', 'mkdir -p "$HOME/.config/systemd/user"; echo x >"$HOME/.config/systemd/user/x.service"'],
  [
    'a program that starts with the desktop',
    'mkdir -p "$HOME/.config/autostart"; echo x >"$HOME/.config/autostart/x.desktop"',
  ],
  ['settings of an editor', 'echo x >"$HOME/.vimrc"'],
  ['settings of ssh', 'mkdir -p "$HOME/.ssh"; echo "ProxyCommand x" >"$HOME/.ssh/config"'],
  ['the installed program', 'mkdir -p "$STATE"; echo x >"$STATE/scorpiox-code"'],
  ['the database of the server', 'mkdir -p "$STATE"; echo x >"$STATE/state.db"'],
  ['servers of a client in the home', 'mkdir -p "$HOME/.cursor"; echo x >"$HOME/.cursor/mcp.json"'],
  ['servers of a client in .config', 'mkdir -p "$HOME/.config/Code/User"; echo x >"$HOME/.config/Code/User/mcp.json"'],
  ['a hook of a client in the home', 'mkdir -p "$HOME/.claude"; echo x >"$HOME/.claude/settings.json"'],
])

/** Never tried outside: they would change the machine. */
const MACHINE_FILES = attempts(
  'escaped',
  [
    ['the bwrap of the system', 'echo x >/usr/bin/bwrap && escaped; mv /usr/bin/bwrap /tmp/b && escaped'],
    ['the shell of the system', 'echo x >/bin/sh && escaped; ln -sf /tmp/x /bin/sh && escaped'],
    ['a library of the system', 'for d in /lib /usr/lib /usr/local/lib; do echo x >$d/libevil.so && escaped; done'],
    ['where libraries are searched', 'echo /tmp >/etc/ld.so.conf.d/evil.conf && escaped; ldconfig && escaped'],
    ['a program for all users', 'for d in /opt /usr/local/sbin /usr/games; do mkdir -p $d/evil && escaped; done'],
    [
      'a setting of git for all users',
      'git config --system core.fsmonitor x && escaped; echo x >/etc/gitconfig && escaped',
    ],
    ['a setting of npm for all users', 'echo x >/etc/npmrc && escaped; echo x >/usr/etc/npmrc && escaped'],
    ['packages for all programs', 'mkdir -p /usr/lib/node_modules/sharp && escaped; mkdir /node_modules && escaped'],
    ['the start of bash for all users', 'echo x >>/etc/bash.bashrc && escaped; echo x >>/etc/profile && escaped'],
  ],
  { proof: false },
)

const SOCKETS = [
  ...attempts('packet', [
    ['a socket by a link', `ln -s "$STREAM" sock; py "socket.socket(socket.AF_UNIX).connect('sock')"`],
    [
      'a socket by a link to its folder',
      `ln -s "$(dirname "$STREAM")" dir; py "socket.socket(socket.AF_UNIX).connect('dir/stream')"`,
    ],
    [
      'a socket by a hard link',
      `ln "$STREAM" hard; py "
try: socket.socket(socket.AF_UNIX).connect('hard')
except OSError: socket.socket(socket.AF_UNIX).connect(os.environ['STREAM'])"`,
    ],
    [
      'a socket by /proc/self/root',
      `py "socket.socket(socket.AF_UNIX).connect('/proc/self/root' + os.environ['STREAM'])"`,
    ],
    ['a socket from its folder', `cd "$(dirname "$STREAM")"; py "socket.socket(socket.AF_UNIX).connect('stream')"`],
    [
      'a socket that does not block',
      `py "
s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK); s.connect(os.environ['STREAM'])"`,
    ],
    [
      'a socket through a child',
      `py "
if os.fork() == 0: socket.socket(socket.AF_UNIX).connect(os.environ['STREAM'])
else: os.wait()"`,
    ],
    [
      'a datagram with a descriptor',
      `py "
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.connect(os.environ['DGRAM']); socket.send_fds(s, [b'x'], [0])"`,
    ],
    [
      'a datagram from a name of its own',
      `py "
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind('own'); s.sendto(b'x', os.environ['DGRAM'])"`,
    ],
  ]),
  ...attempts('escaped', [
    [
      'a socket that listens in the project',
      `py "s = socket.socket(socket.AF_UNIX); s.bind('listen'); s.listen(); escaped(True)"`,
    ],
    [
      'a socket that listens by an abstract name',
      `py "s = socket.socket(socket.AF_UNIX); s.bind('\\\\0evil'); s.listen(); escaped(True)"`,
    ],
    ['a socket in order of messages', `py "socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); escaped(True)"`],
    ['a node that is a socket', `py "os.mknod('node', 0o140600); socket.socket(socket.AF_UNIX); escaped(True)"`],
  ]),
  ...attempts(
    'change',
    [
      ['replacing a socket of the project', inProject('rm -f "$STREAM"; touch "$STREAM"')],
      ['moving a socket', inProject('mv "$STREAM" work/sock')],
      ['a pipe in the state of the server', 'mkfifo "$STATE/pipe"'],
    ],
    { proof: false },
  ),
]

/** One for each program whose settings or credentials are hidden. */
export const HIDDEN_FILES: readonly string[] = [
  '.claude.json',
  '.claude/.credentials.json',
  '.config/Claude/claude_desktop_config.json',
  '.cursor/mcp.json',
  '.config/Code/User/mcp.json',
  '.config/Code/User/globalStorage/state.vscdb',
  '.codeium/windsurf/mcp_config.json',
  '.config/devin/config.json',
  '.codex/config.toml',
  '.codex/auth.json',
  '.gemini/settings.json',
  '.config/opencode/opencode.json',
  '.local/share/opencode/auth.json',
  '.copilot/mcp-config.json',
  '.qwen/settings.json',
  '.cline/data/settings/cline_mcp_settings.json',
  '.continue/config.yaml',
  '.config/zed/settings.json',
  '.config/BraveSoftware/Brave-Browser/Default/Cookies',
  '.config/microsoft-edge/Default/Login Data',
  '.thunderbird/x.default/logins.json',
  '.config/sops/age/keys.txt',
  '.local/share/com.vercel.cli/auth.json',
  '.pulumi/credentials.json',
  '.databrickscfg',
  '.nuget/NuGet/NuGet.Config',
]

const HIDDEN = attempts(
  'secret',
  HIDDEN_FILES.map((name) => [`~/${name}`, `cat "$HOME/${name}"; cp "$HOME/${name}" copy && cat copy`]),
)

export const PLANTING_CORPUS: readonly Attempt[] = [
  ...PACKAGES,
  ...CLIENT_FILES,
  ...CLIENT_WAYS,
  ...REPOSITORY,
  ...GIT_COMMANDS,
  ...SERVER_SETTINGS,
  ...HOME_FILES,
  ...MACHINE_FILES,
  ...SOCKETS,
  ...HIDDEN,
]
