import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { listAllowed, parseProfile } from '../../../../judges/seatbelt/evaluate-profile.mjs'
import { isInsideDirectory } from '../files/path-containment.js'
import { type FileSystemView, type PathRule, planMounts } from './mount-plan.js'
import { buildSeatbeltProfile, DATA_VOLUME } from './seatbelt-profile.js'

const SYSTEM = ['/usr', '/System', '/private/etc'].map((path) => ({ path }))

function profileOf(pathRules: readonly PathRule[], base: FileSystemView['base'] = 'everything', hasNetwork = true) {
  const view = { base, pathRules, tmpBytes: 0, emptyFile: '', privateFolders: [] }
  return buildSeatbeltProfile({ plan: planMounts(view, () => true), base, hasNetwork })
}

function evaluate(...request: Parameters<typeof profileOf>) {
  return parseProfile(profileOf(...request))
}

const PROJECT: readonly PathRule[] = [
  { path: '/Users/ann', access: 'hidden folder' },
  { path: '/Users/ann/p', access: 'readable' },
  { path: '/Users/ann/p', access: 'writable' },
  { path: '/Users/ann/p/.mcp.json', access: 'protected' },
  { path: '/Users/ann/p/.git/hooks', access: 'protected' },
  { path: '/Users/ann/p/keys', access: 'hidden folder' },
]

describe('files', () => {
  const decide = evaluate(PROJECT)

  test.each([
    ['file-read-data', '/usr/lib/libSystem.dylib', 'allow'],
    ['file-write-data', '/usr/lib/libSystem.dylib', 'deny'],
    ['file-read-data', '/Users/ann/.ssh/id_ed25519', 'deny'],
    ['file-read-metadata', '/Users/ann', 'allow'],
    ['file-read-data', '/Users/ann', 'deny'],
    ['file-write-create', '/Users/ann/p/src/a.ts', 'allow'],
    ['file-read-data', '/Users/ann/p/src/a.ts', 'allow'],
    ['file-read-data', '/Users/ann/p/.mcp.json', 'allow'],
    ['file-write-data', '/Users/ann/p/.mcp.json', 'deny'],
    ['file-write-create', '/Users/ann/p/.MCP.Json', 'deny'],
    ['file-write-create', '/Users/ann/p/.git/HOOKS/pre-commit', 'deny'],
    ['file-write-create', '/Users/ann/p/.mcp.jsonx', 'allow'],
    ['file-write-create', '/Users/ann/pp/a', 'deny'],
    ['file-read-data', '/Users/ann/p/keys/k', 'deny'],
    ['file-write-create', '/Users/ann/p/keys/k', 'deny'],
    ['file-write-data', '/dev/null', 'allow'],
    ['file-write-data', '/dev/disk0', 'deny'],
    ['file-read-data', '/dev/disk0', 'deny'],
    ['file-read-data', '/dev/cu.modem', 'deny'],
    ['file-write-create', '/Users/ann/p/.git/hoo\u212As', 'deny'],
    ['file-write-create', '/Users/ann/p/.git/hook\u017F/x', 'deny'],
    ['file-write-create', '/Users/ann/p/.mcp\u200C.json', 'deny'],
    ['file-write-create', '/Users/ann/p/\uFEFF.Mcp\u202E\u206F.json', 'deny'],
    ['file-write-create', '/Users/ann/p/.git/hoo\u200Dks/pre-commit', 'deny'],
    ['file-write-create', '/Users/ann/p/a/\u{1F469}\u200D\u{1F4BB}.png', 'allow'],
    ['file-write-create', '/Users/ann/p/می\u200Cخواهم.txt', 'allow'],
    ['file-write-data', '/Users/ann/p/a\u200C', 'allow'],
  ])('%s %s: %s', (operation, path, decision) => {
    expect(decide(operation, { path })).toBe(decision)
  })

  test('the folders above what is visible are, also by the second path that the system has for them', () => {
    const hidden: PathRule = { path: DATA_VOLUME, access: 'hidden folder' }
    for (const base of ['everything', SYSTEM] as const) {
      const decideHere = evaluate([...PROJECT, hidden], base)
      for (const path of ['', '/Users', '/private', '/opt'])
        expect.soft(decideHere('file-read-metadata', { path: `${DATA_VOLUME}${path}` }), path).toBe('allow')
      for (const path of ['/Users', '/Users/ann/.ssh', '/private/var'])
        expect.soft(decideHere('file-read-data', { path: `${DATA_VOLUME}${path}` }), path).toBe('deny')
      expect(decideHere('file-read-metadata', { path: `${DATA_VOLUME}/Users/ann/.ssh` })).toBe('deny')
    }
  })

  test('nothing above what is protected or hidden can be renamed', () => {
    for (const path of ['/Users/ann/p', '/Users/ann/p/.git', '/Users/ann/p/keys', '/Users/ann/p/.git/hooks'])
      expect.soft(decide('file-write-unlink', { path }), path).toBe('deny')
    expect(decide('file-write-unlink', { path: '/Users/ann/p/src' })).toBe('allow')
  })

  test.each(['everything', [...SYSTEM, { path: '/dev' }]] as const)(
    'a command opens no terminals but its own, and sets the modes of the one it is started on: %j',
    (base) => {
      const decideHere = evaluate(PROJECT, base)
      const path = '/dev/ttys003'
      for (const operation of ['file-read-data', 'file-write-data']) {
        expect(decideHere(operation, { path })).toBe('deny')
        expect(decideHere(operation, { path, extension: 'com.apple.sandbox.pty' })).toBe('allow')
        expect(decideHere(operation, { path: '/dev/ttys003x', extension: 'com.apple.sandbox.pty' })).toBe('deny')
        expect(decideHere(operation, { path: '/dev/ttyp0', extension: 'com.apple.sandbox.pty' })).toBe('deny')
      }
      expect(decideHere('file-ioctl', { path })).toBe('allow')
      expect(decideHere('file-read-metadata', { path })).toBe('allow')
      expect(decideHere('file-read-data', { path: '/dev/fd/3' })).toBe('allow')
    },
  )

  test('strict reads only the system and the project', () => {
    const strict = evaluate(PROJECT, SYSTEM, false)
    expect(strict('file-read-data', { path: '/usr/bin/git' })).toBe('allow')
    expect(strict('file-read-data', { path: '/Users/bob/a' })).toBe('deny')
    expect(strict('file-read-metadata', { path: '/private' })).toBe('allow')
    expect(strict('file-read-data', { path: '/private' })).toBe('deny')
    expect(strict('file-read-data', { path: '/Users/ann/p/a' })).toBe('allow')
  })
})

describe('the network and services', () => {
  test('strict has no network', () => {
    const strict = evaluate(PROJECT, SYSTEM, false)
    for (const operation of ['network-outbound', 'network-bind', 'network-inbound', 'system-socket'])
      expect.soft(strict(operation, { address: '127.0.0.1:80' }), operation).toBe('deny')
    expect(strict('network-outbound', { socket: '/private/var/run/mDNSResponder' })).toBe('deny')
  })

  test('sockets of this machine cannot be reached, except in writable folders and for host names', () => {
    const decide = evaluate(PROJECT)
    expect(decide('network-outbound', { address: '127.0.0.1:80' })).toBe('allow')
    expect(decide('network-outbound', { socket: '/private/var/run/mDNSResponder' })).toBe('allow')
    expect(decide('network-outbound', { socket: '/Users/ann/.docker/run/docker.sock' })).toBe('deny')
    expect(decide('network-outbound', { socket: '/private/tmp/com.apple.launchd.x/Listeners' })).toBe('deny')
    expect(decide('network-outbound', { socket: '/Users/ann/p/dev.sock' })).toBe('allow')
  })

  test.each([
    'com.apple.coreservices.launchservicesd',
    'com.apple.SecurityServer',
    'com.apple.securityd.xpc',
    'com.apple.pasteboard.1',
    'com.apple.tccd',
  ])('%s cannot be reached: it starts programs, or has secrets', (name) => {
    expect(evaluate(PROJECT)('mach-lookup', { name })).toBe('deny')
  })

  test('programs can watch files, except where they cannot read the names of others', () => {
    const name = 'com.apple.FSEvents'
    expect(evaluate(PROJECT, 'everything', false)('mach-lookup', { name })).toBe('allow')
    expect(evaluate(PROJECT, SYSTEM)('mach-lookup', { name })).toBe('deny')
  })

  test('sockets in protected and hidden folders cannot be reached, nor can a command listen there', () => {
    const decide = evaluate([...PROJECT, { path: '/Users/ann/p/keys/open', access: 'writable' }])
    for (const folder of ['.git/hooks', '.git/HOOKS', 'keys', 'Key\u017F']) {
      const socket = `/Users/ann/p/${folder}/s`
      for (const operation of ['network-outbound', 'network-bind'])
        expect.soft(decide(operation, { socket }), `${operation} ${socket}`).toBe('deny')
    }
    for (const socket of ['/Users/ann/p/dev.sock', '/Users/ann/p/keys/open/s'])
      for (const operation of ['network-outbound', 'network-bind'])
        expect.soft(decide(operation, { socket }), `${operation} ${socket}`).toBe('allow')
    expect(decide('network-bind', { socket: '/private/tmp/s' })).toBe('deny')
    expect(decide('network-bind', { address: '127.0.0.1:80' })).toBe('allow')
  })

  test('the arguments and the environment of other processes cannot be read: they have no name', () => {
    const decide = evaluate(PROJECT)
    for (const sysctl of ['', 'kern.procargs2', 'kern.procargs', 'kern.proc.all', 'kern.proc.pid.1', 'kern.procname'])
      expect.soft(decide('sysctl-read', { sysctl }), sysctl).toBe('deny')
    for (const sysctl of [
      'hw.ncpu',
      'kern.osrelease',
      'kern.boottime',
      'hw.optional.arm.FEAT_LSE',
      'machdep.cpu.brand_string',
    ])
      expect.soft(decide('sysctl-read', { sysctl }), sysctl).toBe('allow')
    expect(decide('sysctl-write', { sysctl: 'hw.ncpu' })).toBe('deny')
    expect(
      listAllowed(profileOf(PROJECT), 'sysctl-read').filter((filter) => !filter.startsWith('(sysctl-name')),
    ).toEqual([])
  })

  test('only the kinds of sockets that ordinary programs need can be made', () => {
    const decide = evaluate(PROJECT)
    expect(decide('system-socket', { domain: 'AF_UNIX' })).toBe('allow')
    expect(decide('system-socket', { domain: 'AF_SYSTEM', protocol: 2 })).toBe('allow')
    expect(decide('system-socket', { domain: 'AF_SYSTEM', protocol: 1 })).toBe('deny')
    expect(decide('system-socket', { domain: 'AF_NDRV' })).toBe('deny')
  })

  test.each([
    'signal',
    'mach-priv-task-port',
    'process-info-listpids',
    'process-info-pidinfo',
    'process-info-pidfdinfo',
    'process-info-setcontrol',
  ])('%s: only for processes of the same sandbox', (operation) => {
    expect(evaluate(PROJECT)(operation, { target: 'others' })).toBe('deny')
    expect(evaluate(PROJECT)(operation, { target: 'same-sandbox' })).toBe('allow')
  })

  test.each(['nvram-get', 'nvram-set', 'file-link', 'file-clone', 'lsopen', 'appleevent-send', 'job-creation'])(
    '%s is denied, also in the project',
    (operation) => {
      expect(evaluate(PROJECT)(operation, { path: '/Users/ann/p/a' })).toBe('deny')
    },
  )
})

/** As the source of the profile has them. */
function listLiterals(profile: string): readonly string[] {
  return profile.match(/"(?:\\.|[^"\\])*"/gs) ?? []
}

describe('long paths: a literal of more than 1025 bytes is an error in the whole profile', () => {
  const root: PathRule = { path: '/Users/ann/p', access: 'writable' }
  const names = fc.stringMatching(/^[fis.ſ키]{1,30}$/)
  const paths = fc
    .array(names, { minLength: 6, maxLength: 12 })
    .map((parts) => parts.map((name) => `x${name}x`).join('/'))

  test('what is protected is, in any spelling, and no literal is longer', () => {
    fc.assert(
      fc.property(paths, (name) => {
        const rule: PathRule = { path: `/Users/ann/p/${name}`, access: 'protected' }
        expect(listLiterals(profileOf([root, rule])).filter((text) => Buffer.byteLength(text) > 1000)).toEqual([])
        const decide = evaluate([root, rule])
        for (const spelling of [name, name.toUpperCase(), name.normalize('NFD'), `${name}/a`])
          expect(decide('file-write-create', { path: `/Users/ann/p/${spelling}` })).toBe('deny')
      }),
      { numRuns: 100 },
    )
  })

  test.each([
    ['a long name', `/Users/ann/p/${'x'.repeat(255)}`],
    ['a name with many spellings', `/Users/ann/p/${'f'.repeat(255)}`],
    ['a long path with quotes', `/${'y"'.repeat(400)}`],
  ])('%s has no rule that is short enough, and is refused', (_what, path) => {
    expect(() => profileOf([root, { path, access: 'hidden file' }])).toThrow(/The command was not started: .* too long/)
  })
})

describe('any rules', () => {
  const NAMES = ['a', 'B', '.git', 'a b', 'q"x', String.raw`w\y`, 'r[1]', 'n\nl', '키', 'p.q', '$(x)']
  const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }).map((names) => `/${names.join('/')}`)
  const access = fc.constantFrom<PathRule['access'][]>(
    'readable',
    'writable',
    'protected',
    'hidden file',
    'hidden folder',
  )
  const rules = fc.array(fc.record({ path, access }), { maxLength: 8 })
  const bases = fc.constantFrom<FileSystemView['base'][]>('everything', SYSTEM, [{ path: '/a' }])
  // Profiles must not depend on which of the two macOS does.
  const orders = fc.constantFrom('specific first' as const, 'last' as const)

  test('allow files and sockets where the mount plan of Linux allows them, and nothing else', () => {
    fc.assert(
      fc.property(rules, bases, path, orders, (pathRules, base, probe, order) => {
        const view = { base, pathRules, tmpBytes: 0, emptyFile: '', privateFolders: [] }
        const plan = planMounts(view, () => true)
        const decide = parseProfile(buildSeatbeltProfile({ plan, base, hasNetwork: true }), { order })
        const nearest = [...plan]
          .filter(([at]) => isInsideDirectory(probe, at))
          .sort(byLength)
          .at(-1)?.[1]
        const isSystem = base === 'everything' || base.some((part) => isInsideDirectory(probe, part.path))
        const expected = nearest ?? (isSystem ? 'read' : 'hide folder')
        expect(decide('file-read-data', { path: probe })).toBe(/^(read|write)$/.test(expected) ? 'allow' : 'deny')
        // Another letter case of a protected path is refused, although it is no mount.
        const isOtherCase = [...plan].some(
          ([at, mount]) => mount !== 'write' && isInsideDirectory(probe.toLowerCase(), at.toLowerCase()),
        )
        if (expected !== 'write') expect(decide('file-write-create', { path: probe })).toBe('deny')
        else if (!isOtherCase) expect(decide('file-write-data', { path: probe })).toBe('allow')
        for (const operation of ['network-outbound', 'network-bind']) {
          if (expected !== 'write') expect(decide(operation, { socket: probe })).toBe('deny')
          else if (!isOtherCase) expect(decide(operation, { socket: probe })).toBe('allow')
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('nothing outside of the writable folders is writable, and no parent of a rule in them can be renamed', () => {
    fc.assert(
      fc.property(rules, path, orders, (pathRules, probe, order) => {
        const plan = planMounts(
          { base: 'everything', pathRules, tmpBytes: 0, emptyFile: '', privateFolders: [] },
          () => true,
        )
        const decide = parseProfile(buildSeatbeltProfile({ plan, base: 'everything', hasNetwork: true }), { order })
        const roots = pathRules.filter((rule) => rule.access === 'writable').map((rule) => rule.path)
        if (!roots.some((root) => isInsideDirectory(probe, root)))
          for (const operation of ['file-write-data', 'file-write-create', 'file-write-unlink', 'file-write-mode'])
            expect(decide(operation, { path: probe })).toBe('deny')
        for (const at of plan.keys())
          if (isInsideDirectory(at, probe)) expect(decide('file-write-unlink', { path: probe })).toBe('deny')
      }),
      { numRuns: 2000 },
    )
  })
})

function byLength([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one.length - other.length
}
