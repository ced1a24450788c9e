// Judge: our Seatbelt profiles for macOS against those that @anthropic-ai/sandbox-runtime generates for the same folders,
// part by part: files, devices, sockets, services, facts about the system, and every other operation. Where ours allow
// more, it is listed below. Neither is run: this is no Mac.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { planMounts } from '../dist/judge/seatbelt/mount-plan.mjs'
import { buildSeatbeltProfile } from '../dist/judge/seatbelt/seatbelt.mjs'
import { listAllowed, listOperations, parseProfile } from './seatbelt/evaluate-profile.mjs'
import { openReport } from './shared/report.mjs'

// The package exports no function that returns a profile.
const generator = import.meta.resolve('@anthropic-ai/sandbox-runtime')
const { wrapCommandWithSandboxMacOS } = await import(new URL('sandbox/macos-sandbox-utils.js', generator))

const report = openReport('seatbelt')
const seed = Number(process.env.SEED ?? 22)
const runs = 1000

const names = ['a', 'b', '.git', 'config', 'hooks', 'k e y', 'x']
const below = (root, maxLength = 3) =>
  fc.array(fc.constantFrom(...names), { minLength: 1, maxLength }).map((parts) => `${root}/${parts.join('/')}`)
const folders = fc.record({
  protectedPaths: fc.array(below('/Users/ann/p', 2), { maxLength: 3 }),
  hidden: fc.array(fc.oneof(below('/Users/ann', 1), below('/Users/ann/p', 2)), { maxLength: 3 }),
})
const probes = fc.oneof(below('/Users/ann'), below('/Users/ann/p', 4), below('/usr'), fc.constant('/Users/ann/p'))

const FILE_OPERATIONS = [
  'file-read-data',
  'file-write-data',
  'file-write-create',
  'file-write-unlink',
  'file-write-mode',
]

await report.check('files: whatever the other profile refuses is refused', async () => {
  fc.assert(
    fc.property(folders, probes, (rules, path) => {
      const [ours, theirs] = bothProfiles(rules)
      for (const operation of FILE_OPERATIONS) {
        if (theirs(operation, { path }) === 'deny')
          assert.equal(ours(operation, { path }), 'deny', `${operation} ${path}`)
      }
    }),
    { seed, numRuns: runs },
  )
})

await report.check(
  'files: nothing else is refused than protected and hidden paths, their parents and other letter cases',
  async () => {
    fc.assert(
      fc.property(folders, probes, (rules, path) => {
        const [ours, theirs] = bothProfiles(rules)
        const special = [...rules.protectedPaths, ...rules.hidden].map((each) => each.toLowerCase())
        const isSpecial = special.some((each) => isBelow(path.toLowerCase(), each) || isBelow(each, path.toLowerCase()))
        if (isSpecial || path === '/Users/ann/p') return
        for (const operation of FILE_OPERATIONS)
          assert.equal(ours(operation, { path }), theirs(operation, { path }), `${operation} ${path}`)
      }),
      { seed, numRuns: runs },
    )
  },
)

/** Programs write to them; the other generator leaves that to its settings. */
const WRITABLE_DEVICES = ['zero', 'random', 'urandom', 'dtracehelper', 'tty'].map((name) => `/dev/${name}`)
const OTHER_DEVICES = ['null', 'ptmx', 'ttys012', 'ttyp0', 'disk0', 'cu.modem', 'bpf0'].map((name) => `/dev/${name}`)

await report.check(
  'devices: whatever the other profile refuses is refused, except those that programs write to',
  async () => {
    const [ours, theirs] = bothProfiles({ protectedPaths: [], hidden: [] })
    for (const path of [...WRITABLE_DEVICES, ...OTHER_DEVICES])
      for (const operation of [...FILE_OPERATIONS, 'file-ioctl']) {
        const isExpected = WRITABLE_DEVICES.includes(path) || operation === 'file-ioctl'
        if (theirs(operation, { path }) === 'deny' && !isExpected)
          assert.equal(ours(operation, { path }), 'deny', `${operation} ${path}`)
      }
  },
)

await report.check('devices: terminals of others can be opened in the other profile only', async () => {
  const [ours, theirs] = bothProfiles({ protectedPaths: [], hidden: [] })
  const path = '/dev/ttys012'
  assert.deepEqual([ours('file-read-data', { path }), theirs('file-read-data', { path })], ['deny', 'allow'])
  assert.equal(ours('file-read-data', { path, extension: 'com.apple.sandbox.pty' }), 'allow')
})

/** Programs that use the network or watch files need them; the other generator has them as options. */
const FURTHER_SERVICES = new Set([
  'com.apple.FSEvents',
  'com.apple.SystemConfiguration.DNSConfiguration',
  'com.apple.SystemConfiguration.configd',
  'com.apple.dnssd.service',
  'com.apple.trustd.agent',
])

await report.check(
  'services: only those that the other profile allows, four for the network, and one to watch files',
  async () => {
    const [, theirs] = bothProfiles({ protectedPaths: [], hidden: [] })
    const ours = ourProfile({ protectedPaths: [], hidden: [] })
    const used = [...ours.matchAll(/\(global-name "([^"]+)"\)/g)].map(([, name]) => name)
    assert.ok(used.length > 5)
    assert.equal(listAllowed(ours, 'mach-lookup').length, used.length, 'a service without a name')
    for (const name of used)
      assert.ok(FURTHER_SERVICES.has(name) || theirs('mach-lookup', { name }) === 'allow', `${name} is reachable`)
  },
)

/** They describe the machine too; `sysctl` needs the first two, and Python kern.sysv.semmns. */
const FURTHER_FACTS = new Set([
  'sysctl.name2oid',
  'sysctl.oidfmt',
  'kern.boottime',
  'kern.clockrate',
  'kern.iossupportversion',
  'kern.sysv.semmns',
  'vm.pagesize',
  'hw.cachelinesize',
  'hw.cpu64bit_capable',
  'hw.cpusubtype',
  'hw.l1dcachesize',
  'hw.l1icachesize',
  'hw.l2cachesize',
  'hw.l3cachesize',
  'hw.model',
  'hw.optional.',
  'hw.tbfrequency',
])

await report.check('facts about the system: those of the other profile, a list, and none about processes', async () => {
  const rules = { protectedPaths: [], hidden: [] }
  const [ours, theirs] = bothProfiles(rules)
  const filters = listAllowed(ourProfile(rules), 'sysctl-read')
  const known = new Set(listAllowed(theirProfile(rules, false), 'sysctl-read'))
  for (const filter of filters) {
    const [, kind, name] = /^\((sysctl-name(?:-prefix)?) "([^"]+)"\)$/.exec(filter) ?? []
    assert.ok(name !== undefined, `${filter} is no name`)
    const isKnown = kind === 'sysctl-name' ? theirs('sysctl-read', { sysctl: name }) === 'allow' : known.has(filter)
    assert.ok(isKnown || FURTHER_FACTS.has(name), `${name} can be read`)
  }
  for (const sysctl of ['', 'kern.procargs2', 'kern.proc.all', 'kern.proc.pid.1', 'kern.proc.pgrp.1'])
    assert.equal(ours('sysctl-read', { sysctl }), 'deny', sysctl)
})

await report.check(
  'sockets: only those that the other profile allows for the same folder, and the resolver',
  async () => {
    fc.assert(
      fc.property(folders, fc.oneof(probes, fc.constant('/private/tmp/s')), (rules, socket) => {
        const ours = parseProfile(ourProfile(rules))
        const theirs = parseProfile(theirProfile(rules, true, ['/Users/ann/p']))
        for (const operation of ['network-outbound', 'network-bind'])
          if (theirs(operation, { socket }) === 'deny') assert.equal(ours(operation, { socket }), 'deny', socket)
      }),
      { seed, numRuns: runs },
    )
  },
)

await report.check('processes of others: ours refuses what the other profile leaves open', async () => {
  const [ours, theirs] = bothProfiles({ protectedPaths: [], hidden: [] })
  for (const operation of ['process-info-listpids', 'process-info-pidinfo', 'process-info-setcontrol'])
    assert.deepEqual(
      [ours, theirs].map((decide) => decide(operation, { target: 'others' })),
      ['deny', 'allow'],
    )
})

/** Compared above. */
const COMPARED = /^(file-|network|mach-lookup$|sysctl-read$)/

await report.check(
  'all other operations (system-socket, ipc, process, signal): no filter that is not in theirs',
  async () => {
    const rules = { protectedPaths: [], hidden: [] }
    const profiles = [theirProfile(rules, false), theirProfile(rules, true, ['/x.sock'])]
    const ours = ourProfile(rules)
    const others = [...listOperations(ours)].filter((operation) => operation !== 'default' && !COMPARED.test(operation))
    assert.ok(['system-socket', 'ipc-posix-shm', 'ipc-posix-sem', 'signal'].every((each) => others.includes(each)))
    for (const operation of others) {
      const known = new Set(profiles.flatMap((profile) => listAllowed(profile, operation)))
      for (const filter of listAllowed(ours, operation))
        assert.ok(known.has('') || known.has(filter), `${operation} ${filter}`)
    }
  },
)

/** Used by the profiles of Firefox (nvram) and of others; only denied here. */
const FURTHER_OPERATIONS = ['nvram*', 'file-link', 'file-clone']

await report.check('operations: only names that other profiles use, so that macOS can read ours', async () => {
  const rules = { protectedPaths: [], hidden: ['/x'] }
  const known = new Set([
    ...FURTHER_OPERATIONS,
    ...[theirProfile(rules, false), theirProfile(rules, true), theirProfile(rules, true, ['/x.sock'])].flatMap(
      (profile) => [...listOperations(profile)],
    ),
  ])
  const ours = ourProfile({ protectedPaths: ['/Users/ann/p/a'], hidden: ['/x'] })
  for (const operation of listOperations(ours))
    assert.ok(known.has(operation), `${operation} is not used by the other profiles`)
  for (const operation of FURTHER_OPERATIONS) assert.deepEqual(listAllowed(ours, operation), [])
})

await report.check('without a network nothing is reachable in either', async () => {
  const rules = { protectedPaths: [], hidden: [] }
  const [ours, theirs] = [ourProfile(rules, false), theirProfile(rules, true)].map(parseProfile)
  for (const subject of [{ address: '1.1.1.1:443' }, { socket: '/private/var/run/mDNSResponder' }])
    for (const operation of ['network-outbound', 'network-bind'])
      assert.deepEqual([ours(operation, subject), theirs(operation, subject)], ['deny', 'deny'])
})
report.finish()

function bothProfiles(rules) {
  return [ourProfile(rules), theirProfile(rules, false)].map(parseProfile)
}

function ourProfile({ protectedPaths, hidden }, hasNetwork = true) {
  const pathRules = [
    { path: '/Users/ann/p', access: 'writable' },
    ...protectedPaths.map((path) => ({ path, access: 'protected' })),
    ...hidden.map((path) => ({ path, access: 'hidden folder' })),
  ]
  const plan = planMounts({ base: 'everything', pathRules, privateFolders: [] }, () => true)
  return buildSeatbeltProfile({ plan, base: 'everything', hasNetwork })
}

function theirProfile({ protectedPaths, hidden }, needsNetworkRestriction, allowUnixSockets) {
  const command = wrapCommandWithSandboxMacOS({
    command: 'true',
    needsNetworkRestriction,
    allowUnixSockets,
    readConfig: { denyOnly: hidden, allowWithinDeny: [] },
    writeConfig: { allowOnly: ['/Users/ann/p'], denyWithinAllow: protectedPaths },
    allowPty: true,
    binShell: 'sh',
  })
  // It is a shell command: the profile is the word after -p.
  const [, quoted = ''] = /sandbox-exec -p '((?:[^']|'"'"')*)'/s.exec(command) ?? []
  assert.ok(quoted !== '', 'no profile was generated')
  return quoted.replaceAll(`'"'"'`, "'")
}

function isBelow(path, folder) {
  return path === folder || path.startsWith(`${folder}/`)
}
