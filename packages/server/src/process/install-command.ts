// The shell command that installs a program on this system. Used by the sandbox and `doctor`. Reads /etc/os-release.

import { readFileOrEmpty } from '../files/read-file-or-empty.js'

const MANAGERS: readonly (readonly [systems: RegExp, command: string])[] = [
  [/\b(debian|ubuntu)\b/, 'apt install'],
  [/\b(fedora|rhel|centos)\b/, 'dnf install'],
  [/\balpine\b/, 'apk add'],
  [/\barch\b/, 'pacman -S'],
  [/\bsuse\b/, 'zypper install'],
]

/** Package names that differ. */
const WINGET: Readonly<Record<string, string>> = { bash: 'Git.Git', git: 'Git.Git', chromium: 'Google.Chrome' }
const BREW: Readonly<Record<string, string>> = { chromium: '--cask google-chrome' }
const UBUNTU: Readonly<Record<string, string>> = { chromium: 'chromium-browser' }

/** One command; on an unknown Linux, several to choose from. */
export function formatInstallCommand(
  program: string,
  platform = process.platform,
  osRelease = readFileOrEmpty('/etc/os-release'),
): string {
  if (platform === 'darwin') return `brew install ${BREW[program] ?? program}`
  if (platform === 'win32') return `winget install ${WINGET[program] ?? program}`
  if (platform === 'freebsd' || platform === 'android') return `pkg install ${program}`
  const system = osRelease
    .split('\n')
    .filter((line) => /^ID(_LIKE)?=/.test(line))
    .join(' ')
  const [, command] = MANAGERS.find(([systems]) => systems.test(system)) ?? []
  const name = /\bubuntu\b/.test(system) ? (UBUNTU[program] ?? program) : program
  if (command !== undefined) return `sudo ${command} ${name}`
  return MANAGERS.map(([, manager]) => `${manager} ${program}`).join(', or ')
}
