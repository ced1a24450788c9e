// The steps of examples/deploy/Containerfile, run in a chroot of Debian as a container engine would run them: FROM by
// debootstrap, RUN by a shell, COPY by a copy. Then the server answers in it. Needs root and the mirror of Debian, from
// which it downloads a whole system, so it is part of no suite:
//   CONTAINER_TEST=1 npm run test:long -- test/deploy/containerfile.test.ts

import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { expect, test } from 'vitest'

import { canRun, requires } from '../support/requirements.js'

const ROOT = resolve(import.meta.dirname, '../..')

const CERTIFICATES = '/tmp/certificates.pem'

interface Instruction {
  readonly name: string
  readonly text: string
}

function readInstructions(): readonly Instruction[] {
  const lines = readFileSync(join(ROOT, 'examples/deploy/Containerfile'), 'utf8').split('\n')
  return lines.flatMap((line) => {
    const [, name = '', text = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    return name === '' ? [] : [{ name, text }]
  })
}

test('every instruction is one that this test understands', () => {
  const known = new Set(['FROM', 'RUN', 'COPY', 'USER', 'WORKDIR', 'ENV', 'EXPOSE', 'ENTRYPOINT', 'CMD'])
  expect(readInstructions().filter(({ name }) => !known.has(name))).toEqual([])
})

const testOnRequest = process.env.CONTAINER_TEST === '1' ? test : () => {}

testOnRequest(
  'its steps build a system in which the server answers',
  {
    tags: ['long'],
    timeout: 1_200_000,
    ...requires({ isMet: canRun('debootstrap') && process.getuid?.() === 0, reason: 'it needs root and debootstrap' }),
  },
  () => {
    const work = mkdtempSync('/var/tmp/scorpiox-container-')
    const system = join(work, 'root')
    // The network of this machine may have certificates of its own.
    const certificates = process.env.NODE_EXTRA_CA_CERTS
    const inSystem = (command: string): string =>
      execFileSync('chroot', [system, '/bin/sh', '-c', command], {
        encoding: 'utf8',
        env: {
          PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
          HOME: '/root',
          npm_config_registry: process.env.npm_config_registry ?? '',
          ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: CERTIFICATES }),
        },
      })
    try {
      execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', work], { cwd: ROOT })
      execFileSync('sh', ['-c', `mv ${work}/*.tgz ${work}/package.tgz`])
      for (const { name, text } of readInstructions()) {
        if (name === 'FROM') {
          const [, release = ''] = text.split(':')
          execFileSync('debootstrap', ['--variant=minbase', release, system], { stdio: 'ignore' })
          spawnSync('sh', [
            '-c',
            `cp /etc/resolv.conf ${system}/etc/; cp -r /etc/apt/apt.conf.d/. ${system}/etc/apt/apt.conf.d/; [ -f /root/.npmrc ] && cp /root/.npmrc ${system}/root/`,
          ])
          if (certificates !== undefined) copyFileSync(certificates, join(system, CERTIFICATES))
        } else if (name === 'RUN') inSystem(text)
        else if (name === 'COPY') {
          const [from = '', to = ''] = text.split(' ')
          copyFileSync(join(work, from), join(system, to))
        }
      }
      const user = readInstructions().find(({ name }) => name === 'USER')?.text ?? ''
      // Commands need /proc and /dev, which a container engine mounts.
      const enter = `mount -t proc proc ${system}/proc && mount --rbind /dev ${system}/dev && exec chroot --userspec ${user}:${user} ${system} /bin/sh -c "$1"`
      const asUser = (command: string): string =>
        execFileSync('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', enter, 'enter', command], {
          encoding: 'utf8',
          env: {
            PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
            HOME: `/home/${user}`,
            STATE_DIR: '/var/lib/scorpiox-code',
          },
        })
      expect(asUser('scorpiox-code --version')).toMatch(/^\d+\.\d+\.\d+\n$/)
      expect(asUser('cd /var/lib/scorpiox-code && scorpiox-code call Bash \'{"command":"id -un"}\'')).toContain(user)
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  },
)
