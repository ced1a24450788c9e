// Paths that are hidden from sandboxed commands by default: keys, credentials, histories. `SANDBOX_HIDE` adds and
// removes entries. Home directories of other users are protected by file permissions.

import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import type { Config } from '../config/load-config.js'
import { getScriptFolder, getStateDir } from '../config/paths.js'
import { resolveMemoryLimit } from '../process/command-memory.js'
import { isInsideDirectory } from '../util/path-containment.js'
import type { ActiveSandboxLevel } from './sandbox-level.js'
import type { SandboxPolicy } from './sandbox.js'

export const SECRET_PATHS: readonly string[] = [
  // Keys and passwords.
  '~/.ssh',
  '~/.gnupg',
  '~/.password-store',
  '~/.local/share/keyrings',
  '~/.netrc',
  '~/.git-credentials',
  '~/.config/git/credentials',
  '~/.vault-token',
  // Cloud providers.
  '~/.aws',
  '~/.azure',
  '~/.config/gcloud',
  '~/.config/doctl',
  '~/.kube',
  '~/.oci',
  '~/.s3cfg',
  '~/.boto',
  '~/.config/rclone',
  '~/.terraform.d/credentials.tfrc.json',
  '~/.docker/config.json',
  '~/.config/containers/auth.json',
  '~/.fly',
  // Package registries.
  '~/.npmrc',
  '~/.yarnrc.yml',
  '~/.pypirc',
  '~/.config/pip/pip.conf',
  '~/.cargo/credentials',
  '~/.cargo/credentials.toml',
  '~/.gem/credentials',
  '~/.m2/settings.xml',
  '~/.m2/settings-security.xml',
  '~/.gradle/gradle.properties',
  '~/.config/composer/auth.json',
  // Code hosting and AI services.
  '~/.config/gh',
  '~/.config/glab-cli',
  '~/.config/hub',
  '~/.config/github-copilot',
  '~/.claude.json',
  '~/.claude/.credentials.json',
  '~/.codex/auth.json',
  '~/.gemini/oauth_creds.json',
  '~/.cache/huggingface/token',
  // Databases.
  '~/.pgpass',
  '~/.my.cnf',
  // Command and browser histories.
  '~/.bash_history',
  '~/.zsh_history',
  '~/.local/share/fish/fish_history',
  '~/.python_history',
  '~/.node_repl_history',
  '~/.psql_history',
  '~/.mysql_history',
  '~/.sqlite_history',
  '~/.mozilla',
  '~/.config/google-chrome',
  '~/.config/chromium',
  // Readable by root only; a server may run as root.
  '/root',
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssh/ssh_host_rsa_key',
  '/etc/ssh/ssh_host_ecdsa_key',
  '/etc/ssh/ssh_host_ed25519_key',
  '/etc/ssl/private',
  '/etc/pki/tls/private',
  '/etc/letsencrypt',
  '/etc/wireguard',
  '/etc/NetworkManager/system-connections',
  '/etc/krb5.keytab',
  '/etc/kubernetes',
  '/etc/rancher',
  '/var/backups',
  '/var/lib/docker',
  '/var/lib/containers',
]

// Derives the sandbox policy from the settings: hidden, writable and readable paths, and resource limits.

export function createSandboxPolicy(config: Config, levels: readonly ActiveSandboxLevel[]): SandboxPolicy {
  const { settings, cwd, home, ownCode, secretFiles, childEnv } = config
  const stateDir = getStateDir(settings)
  const expandPath = (path: string): string => (path.startsWith('~/') ? join(home, path.slice(2)) : resolve(cwd, path))
  const scriptFolders = [getScriptFolder(config) ?? []].flat()
  const entries = splitList(settings.SANDBOX_HIDE)
  const unhidden = new Set(entries.flatMap((entry) => (entry.startsWith('!') ? [expandPath(entry.slice(1))] : [])))
  const hiddenPaths = [...SECRET_PATHS, ...entries.filter((entry) => !entry.startsWith('!'))]
    // Without a home these paths would be relative to the project.
    .filter((path) => home !== '' || !path.startsWith('~/'))
    .map(expandPath)
    .filter((path) => !unhidden.has(path) && path !== home)
  return {
    levels,
    project: cwd,
    home,
    workFolder: join(stateDir, 'sandbox'),
    hidden: [
      stateDir,
      // The FIFOs of the shell pool are there, and a FIFO can be written to even on a read-only mount.
      tmpdir(),
      ...secretFiles,
      ...(settings.TLS_KEY === '' ? [] : [resolve(settings.TLS_KEY)]),
      ...hiddenPaths,
    ],
    writable: splitList(settings.SANDBOX_WRITE).map(expandPath),
    readable: splitList(settings.SANDBOX_READ).map(expandPath),
    controlFiles: secretFiles,
    readOnly: [ownCode, ...scriptFolders.filter((folder) => existsSync(folder) && !isInsideDirectory(cwd, folder))],
    scriptFolders,
    pids: settings.SANDBOX_PIDS,
    memoryBytes: settings.SANDBOX_MEMORY_MB * 1024 * 1024,
    totalMemoryBytes: resolveMemoryLimit(settings.COMMANDS_MEMORY_MB),
    env: childEnv,
  }
}

function splitList(value: string): readonly string[] {
  return value
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '')
}
