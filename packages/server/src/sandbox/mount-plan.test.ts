import { expect, test } from 'vitest'

import { type FileSystemView, type PathRule, planMounts, toBubblewrapFlags } from './mount-plan.js'

function flagsFor(view: FileSystemView, isHeld: (path: string) => boolean): readonly string[] {
  return toBubblewrapFlags(planMounts(view, isHeld), view)
}

/** The mounts in order, without those of every view. */
function mounts(
  paths: readonly (readonly [as: PathRule['access'], path: string])[],
  base: FileSystemView['base'] = 'everything',
  isHeld: (path: string) => boolean = () => true,
): readonly string[] {
  const flags = flagsFor(
    {
      base,
      pathRules: paths.map(([access, path]): PathRule => ({ access, path })),
      tmpBytes: 1000,
      emptyFile: '/empty',
    },
    isHeld,
  )
  const kindByFlag: Readonly<Record<string, string>> = { '--ro-bind': 'read', '--bind': 'write', '--tmpfs': 'tmpfs' }
  return flags.flatMap((flag, at) => {
    const [source = '', target = ''] = flags.slice(at + 1)
    if (flag === '--tmpfs') return source === '/tmp' || source === '/dev/shm' ? [] : [`hide ${source}`]
    if (!(flag in kindByFlag)) return []
    if (source === '/empty') return [`hide ${target}`]
    expect(source).toBe(target)
    return source === '/' ? [] : [`${kindByFlag[flag]} ${target}`]
  })
}

test('a path with the right access is not mounted again', () => {
  expect(mounts([['readable', '/srv/project']])).toEqual([])
  expect(
    mounts([
      ['writable', '/srv'],
      ['writable', '/srv'],
      ['protected', '/opt'],
    ]),
  ).toEqual(['write /srv'])
  expect(
    mounts([
      ['hidden folder', '/home/a'],
      ['hidden file', '/home/a/.netrc'],
    ]),
  ).toEqual(['hide /home/a'])
  expect(
    mounts([
      ['hidden file', '/tmp/secret'],
      ['protected', '/usr/lib'],
    ]),
  ).toEqual([])
})

test('a project in a hidden folder or in /tmp is mounted', () => {
  expect(
    mounts([
      ['writable', '/home/a/project'],
      ['hidden folder', '/home/a'],
    ]),
  ).toEqual(['hide /home/a', 'write /home/a/project'])
  expect(mounts([['readable', '/tmp/project']])).toEqual(['read /tmp/project'])
  expect(
    mounts([
      ['readable', '/home/a/p'],
      ['hidden folder', '/home/a'],
      ['hidden file', '/home/a/p/.env'],
    ]),
  ).toEqual(['hide /home/a', 'read /home/a/p', 'hide /home/a/p/.env'])
})

test('the parents of a hidden or protected path cannot be renamed', () => {
  expect(
    mounts([
      ['writable', '/p'],
      ['hidden folder', '/p/a/b/keys'],
      ['protected', '/p/.git/config'],
    ]),
  ).toEqual(['write /p', 'write /p/.git', 'read /p/.git/config', 'write /p/a', 'write /p/a/b', 'hide /p/a/b/keys'])
  expect(
    mounts([
      ['writable', '/w'],
      ['writable', '/w/x/p'],
      ['protected', '/w/x/p/.claude'],
    ]),
  ).toEqual(['write /w', 'write /w/x', 'write /w/x/p', 'read /w/x/p/.claude'])
})

test('a writable folder in another cannot be replaced, nor the folders above it', () => {
  expect(
    mounts([
      ['writable', '/srv'],
      ['writable', '/srv/a/project'],
    ]),
  ).toEqual(['write /srv', 'write /srv/a', 'write /srv/a/project'])
})

test('the rule with the higher precedence applies', () => {
  expect(
    mounts([
      ['hidden file', '/p/x'],
      ['protected', '/p/x'],
      ['writable', '/p'],
    ]),
  ).toEqual(['write /p', 'hide /p/x'])
  expect(
    mounts([
      ['protected', '/p'],
      ['writable', '/p'],
    ]),
  ).toEqual(['read /p'])
  expect(
    mounts([
      ['readable', '/s'],
      ['hidden folder', '/s'],
    ]),
  ).toEqual(['hide /s'])
})

test('a path that has another as a string prefix is not inside it', () => {
  expect(
    mounts([
      ['writable', '/p'],
      ['protected', '/p-q/x'],
      ['hidden folder', '/p-q'],
    ]),
  ).toEqual(['write /p', 'hide /p-q'])
})

test('in a restricted view only system folders and rules are visible', () => {
  const base = [{ path: '/usr' }, { path: '/bin', link: 'usr/bin' }, { path: '/etc' }]
  const paths = [
    ['writable', '/home/a/p'],
    ['hidden folder', '/home/a'],
    ['hidden file', '/etc/shadow'],
  ] as const
  expect(mounts([...paths, ['readable', '/data']], base)).toEqual([
    'read /usr',
    'read /etc',
    'read /data',
    'hide /etc/shadow',
    'write /home/a/p',
  ])
  const flags = flagsFor({ base, pathRules: [], tmpBytes: 1, emptyFile: '' }, () => true)
  expect(flags.join(' ')).toContain('--symlink usr/bin /bin')
  expect(flags.join(' ')).toContain('--remount-ro /proc --remount-ro /dev --remount-ro /')
})

test('a path that a running command could replace is not mounted', () => {
  const paths = [
    ['writable', '/p'],
    ['protected', '/p/.git/config'],
    ['hidden folder', '/p/a/keys'],
    ['protected', '/p/.claude'],
    ['hidden folder', '/elsewhere'],
  ] as const
  const held = new Set(['/p/.claude', '/p/.git/config', '/p/a'])
  expect(mounts(paths, 'everything', (path) => held.has(path))).toEqual([
    'hide /elsewhere',
    'write /p',
    'read /p/.claude',
  ])
})
