// An ssh server on loopback that knows one user with a password, for the tests of commands and terminals that log in to it.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { freePort } from '../store/postgres-server.js'
import { emptyFolder } from './client.js'
import { eventually } from './eventually.js'
import { canRun, type Requirement } from './requirements.js'

/** A server that knows a password needs one in its shadow file, and to change to the user: in a mount namespace of root. */
const SSH_SERVER: Requirement = {
  isMet: spawnSync('unshare', ['-m', 'sh', '-c', 'mount --bind /etc/passwd /etc/passwd && dropbear -V']).status === 0,
  reason: 'dropbear is not installed, or there are no mount namespaces of root',
}

export const SSH: readonly Requirement[] = [
  SSH_SERVER,
  { isMet: canRun('ssh', ['-V']), reason: 'ssh is not installed' },
]

export const SSH_PASSWORD = 'open sesame'
/** Of the password above: `openssl passwd -6 -salt scorpiox 'open sesame'` */
const PASSWORD_HASH =
  '$6$scorpiox$EY8rdxerhND9dZkz6kvJWVeoNWB1M8D4q6fw9JuuLRXSLVynfv1VXNgNVf6u7UO7cEcPmd8Jrt9omg1KvOAd/0'

export interface SshServer {
  /** Logs in with the password; options and a remote command may follow. Nothing of the machine's configuration is used. */
  readonly command: string
  stop(): void
}

export async function startSshServer(): Promise<SshServer> {
  const folder = emptyFolder()
  writeFileSync(join(folder, 'passwd'), `root:x:0:0:root:${folder}:/bin/bash\n`)
  writeFileSync(join(folder, 'shadow'), `root:${PASSWORD_HASH}:19000:0:99999:7:::\n`)
  execFileSync('dropbearkey', ['-t', 'ed25519', '-f', 'key'], { cwd: folder, stdio: 'ignore' })
  const port = await freePort()
  const script =
    'mount --bind passwd /etc/passwd && mount --bind shadow /etc/shadow && exec dropbear -F -E -r key -P pid -p "$0"'
  const child = spawn('unshare', ['-m', 'sh', '-c', script, `127.0.0.1:${port}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (chunk) => (log += chunk))
  await eventually(
    () => log,
    (text) => text.includes('Not backgrounding'),
  )
  const options = '-F none -o UserKnownHostsFile=/dev/null -o PubkeyAuthentication=no'
  return { command: `ssh ${options} -p ${port} root@127.0.0.1`, stop: () => void child.kill('SIGTERM') }
}
