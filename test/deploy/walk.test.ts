// The walk of docs/deploy.md from one machine to three: the page quotes the files of examples/deploy, its commands are
// those of the script that runs them, and the files work: etcd, Patroni, HAProxy and three servers in a network of
// their own, of which a machine is drained and the primary database killed.

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'
import { parseAllDocuments } from 'yaml'

import { PROGRAM } from '../support/client.js'
import { canRun, type Requirement, requires } from '../support/requirements.js'

const ROOT = resolve(import.meta.dirname, '../..')
const FILES = join(ROOT, 'examples/deploy')
const PAGE = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8')
const SCRIPT = join(import.meta.dirname, 'three-machines.sh')
const [, WALK = ''] = /\n### From one machine to three\n([^]*?)\n### /.exec(PAGE) ?? []

const PROGRAMS = [
  'etcd',
  'etcdctl',
  'haproxy',
  'patroni',
  'patronictl',
  'psql',
  'openssl',
  'curl',
  'ip',
  'setpriv',
  'bwrap',
]
const MACHINES: Requirement = {
  isMet:
    process.platform === 'linux' &&
    canRun('unshare', ['--net', '--mount', '--pid', '--fork', 'true']) &&
    PROGRAMS.every((program) => canRun('sh', ['-c', `command -v ${program}`])),
  reason: `it needs root, and ${PROGRAMS.join(', ')}`,
}

describe('the page', () => {
  const quoted = readdirSync(FILES).filter((name) => name !== 'Containerfile')

  test.each(quoted)('quotes %s as it is', (name) => {
    const [, block] = new RegExp(`\`\`\`\\w+\n(# [^\n]*${locationOf(name)}[^]*?)\n\`\`\``).exec(WALK) ?? []
    expect(`${block}\n`).toBe(readFileSync(join(FILES, name), 'utf8'))
    expect(WALK).toContain(`](../examples/deploy/${name})`)
  })

  test('has only commands that the script runs, and packages that the test needs', () => {
    const script = readFileSync(SCRIPT, 'utf8')
    const commands = [...WALK.matchAll(/```sh\n([^]*?)\n```/g)].flatMap(([, block = '']) => block.split('\n'))
    expect(commands.length).toBeGreaterThan(6)
    const others = commands.filter((line) => !script.includes(line.replace('curl -sf', 'curl -sSf')))
    expect(others.filter((line) => !line.startsWith('apt-get install -y '))).toEqual([])
  })

  test('names every manifest', () => {
    for (const name of readdirSync(join(ROOT, 'examples/kubernetes'))) {
      expect(PAGE).toContain(`\`${name}\``)
      const text = readFileSync(join(ROOT, 'examples/kubernetes', name), 'utf8')
      for (const document of parseAllDocuments(text)) expect(document.errors).toEqual([])
    }
  })
})

/** The first line of a file says where it goes; of two files for the same place, also on which machine. */
function locationOf(name: string): string {
  if (name === 'haproxy-mcp.cfg') return 'on lb'
  if (name === 'haproxy-postgres.cfg') return 'haproxy.cfg on app1'
  const places: Readonly<Record<string, string>> = {
    'etcd-app1.env': '/etc/default/etcd',
    'patroni-db1.yml': '/etc/patroni/config.yml',
    'scorpiox-app1.env': '/etc/scorpiox-code.env',
    'scorpiox-code.service': '/etc/systemd/system/scorpiox-code.service',
  }
  return places[name] ?? `nowhere: ${name}`
}

test(
  'the unit is one that systemd accepts',
  requires({ isMet: canRun('systemd-analyze'), reason: 'no systemd' }),
  () => {
    const { stderr } = spawnSync('systemd-analyze', ['verify', join(FILES, 'scorpiox-code.service')], {
      encoding: 'utf8',
    })
    const ours = stderr.split('\n').filter((line) => line.includes('scorpiox-code.service'))
    // The program is not installed there.
    expect(ours.filter((line) => !line.includes('/usr/bin/scorpiox-code is not executable'))).toEqual([])
  },
)

test(
  'the files work: three machines, a drained one, a failover of the database',
  { tags: ['long'], timeout: 600_000, ...requires(MACHINES) },
  () => {
    // Not in the private folder of the tests: PostgreSQL runs as another user and reads its settings here.
    const folder = mkdtempSync('/var/tmp/scorpiox-walk-')
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    chmodSync(folder, 0o755)
    const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
    const { stdout, stderr } = spawnSync('unshare', [...namespaces, SCRIPT, PROGRAM, folder], {
      encoding: 'utf8',
      timeout: 590_000,
    })
    const steps = [...stdout.matchAll(/^step: (.*)$/gm)].map(([, step]) => step)
    expect({ steps, stderr: stdout.includes('all steps held') ? '' : `${stdout}\n${stderr}` }).toEqual({
      steps: ['etcd', 'database', 'machines', 'balancer', 'calls', 'listed', 'drained', 'failover'],
      stderr: '',
    })
  },
)
