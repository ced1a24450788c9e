import { expect, test } from 'vitest'

import { mountFlags, planMounts, type Place, type View } from './mounts.js'

function flagsFor(view: View, isHeld: (path: string) => boolean): readonly string[] {
  return mountFlags(planMounts(view, isHeld), view)
}

/** What is mounted where, in order, without what every view has. */
function mounts(
  places: readonly (readonly [as: Place['as'], path: string])[],
  base: View['base'] = 'everything',
  isHeld: (path: string) => boolean = () => true,
): readonly string[] {
  const flags = flagsFor(
    {
      base,
      places: places.map(([as, path]) => ({ as, path })),
      scratchBytes: 1000,
      emptyFile: '/empty',
    },
    isHeld,
  )
  const words: Readonly<Record<string, string>> = { '--ro-bind': 'read', '--bind': 'write', '--tmpfs': 'tmpfs' }
  return flags.flatMap((flag, at) => {
    const [source = '', target = ''] = flags.slice(at + 1)
    if (flag === '--tmpfs') return source === '/tmp' || source === '/dev/shm' ? [] : [`hide ${source}`]
    if (!(flag in words)) return []
    if (source === '/empty') return [`hide ${target}`]
    expect(source).toBe(target)
    return source === '/' ? [] : [`${words[flag]} ${target}`]
  })
}

test('what is visible anyway is not mounted again', () => {
  expect(mounts([['readable', '/srv/project']])).toEqual([])
  expect(
    mounts([
      ['writable', '/srv'],
      ['writable', '/srv/project'],
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
      ['fixed', '/usr/lib'],
    ]),
  ).toEqual([])
})

test('a project in a hidden folder is shown, one in /tmp too', () => {
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

test('what is hidden or fixed in something writable cannot be moved with its parents', () => {
  expect(
    mounts([
      ['writable', '/p'],
      ['hidden folder', '/p/a/b/keys'],
      ['fixed', '/p/.git/config'],
    ]),
  ).toEqual(['write /p', 'write /p/.git', 'read /p/.git/config', 'write /p/a', 'write /p/a/b', 'hide /p/a/b/keys'])
  expect(
    mounts([
      ['writable', '/w'],
      ['writable', '/w/x/p'],
      ['fixed', '/w/x/p/.claude'],
    ]),
  ).toEqual(['write /w', 'write /w/x', 'write /w/x/p', 'read /w/x/p/.claude'])
})

test('the stronger word about a path holds', () => {
  expect(
    mounts([
      ['hidden file', '/p/x'],
      ['fixed', '/p/x'],
      ['writable', '/p'],
    ]),
  ).toEqual(['write /p', 'hide /p/x'])
  expect(
    mounts([
      ['fixed', '/p'],
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

test('a name that begins like another is another', () => {
  expect(
    mounts([
      ['writable', '/p'],
      ['fixed', '/p-q/x'],
      ['hidden folder', '/p-q'],
    ]),
  ).toEqual(['write /p', 'hide /p-q'])
})

test('without the whole system only its parts are seen, and what is asked for', () => {
  const base = [{ path: '/usr' }, { path: '/bin', link: 'usr/bin' }, { path: '/etc' }]
  const places = [
    ['writable', '/home/a/p'],
    ['hidden folder', '/home/a'],
    ['hidden file', '/etc/shadow'],
  ] as const
  expect(mounts([...places, ['readable', '/data']], base)).toEqual([
    'read /usr',
    'read /etc',
    'read /data',
    'hide /etc/shadow',
    'write /home/a/p',
  ])
  const flags = flagsFor({ base, places: [], scratchBytes: 1, emptyFile: '' }, () => true)
  expect(flags.join(' ')).toContain('--symlink usr/bin /bin')
  expect(flags.join(' ')).toContain('--remount-ro /proc --remount-ro /dev --remount-ro /')
})

test('what a running command could replace in time is not mounted', () => {
  const places = [
    ['writable', '/p'],
    ['fixed', '/p/.git/config'],
    ['hidden folder', '/p/a/keys'],
    ['fixed', '/p/.claude'],
    ['hidden folder', '/elsewhere'],
  ] as const
  const held = new Set(['/p/.claude', '/p/.git/config', '/p/a'])
  expect(mounts(places, 'everything', (path) => held.has(path))).toEqual([
    'hide /elsewhere',
    'write /p',
    'read /p/.claude',
  ])
})
