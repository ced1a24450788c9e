import { expect, test } from 'vitest'

import { formatInstallCommand } from './install-command.js'

test.each([
  ['ID=debian', 'sudo apt install bubblewrap'],
  ['ID=pop\nID_LIKE="ubuntu debian"', 'sudo apt install bubblewrap'],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"', 'sudo dnf install bubblewrap'],
  ['ID=alpine', 'sudo apk add bubblewrap'],
  ['ID=arch', 'sudo pacman -S bubblewrap'],
  ['ID="opensuse-leap"\nID_LIKE="suse opensuse"', 'sudo zypper install bubblewrap'],
  ['', 'apt install bubblewrap, or dnf install bubblewrap'],
])('on %j the command is %s', (osRelease, expected) => {
  expect(formatInstallCommand('bubblewrap', 'linux', osRelease)).toContain(expected)
})

test.each([
  ['bash', 'darwin', 'brew install bash'],
  ['git', 'win32', 'winget install Git.Git'],
  ['chromium', 'darwin', 'brew install --cask google-chrome'],
  ['chromium', 'win32', 'winget install Google.Chrome'],
  ['bash', 'freebsd', 'pkg install bash'],
] as const)('%s on %s: %s', (program, platform, expected) => {
  expect(formatInstallCommand(program, platform)).toBe(expected)
})

test('Ubuntu has another package name', () => {
  expect(formatInstallCommand('chromium', 'linux', 'ID=ubuntu\nID_LIKE=debian')).toBe(
    'sudo apt install chromium-browser',
  )
  expect(formatInstallCommand('chromium', 'linux', 'ID=debian')).toBe('sudo apt install chromium')
})
