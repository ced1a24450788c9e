import { expect, test } from 'vitest'

import { listSecretPaths } from './secret-paths.js'

const LIBRARY = '~/Library'
const APPLICATIONS = `${LIBRARY}/Application Support`

test.each([
  ['the keychain', `${LIBRARY}/Keychains`],
  ['browsers', `${APPLICATIONS}/Google/Chrome`],
  ['browsers', `${APPLICATIONS}/Firefox`],
  ['browsers', `${LIBRARY}/Safari`],
  ['browsers', `${APPLICATIONS}/Arc`],
  ['mail', `${LIBRARY}/Mail`],
  ['virtual machines', '~/.lima/_config'],
  ['messages', `${LIBRARY}/Messages`],
  ['data of sandboxed programs', `${LIBRARY}/Containers`],
  ['data that programs share', `${LIBRARY}/Group Containers`],
  ['keys', `${APPLICATIONS}/sops`],
  ['a cloud provider', `${APPLICATIONS}/doctl`],
  ['the same paths as elsewhere', '~/.ssh'],
])('macOS: %s, %s', (_what, path) => {
  expect(listSecretPaths('darwin')).toContain(path)
})

test('no path is listed twice, and those of macOS are listed there only', () => {
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    const paths = listSecretPaths(platform)
    expect(new Set(paths).size).toBe(paths.length)
    expect(paths.some((path) => path.startsWith(LIBRARY))).toBe(platform === 'darwin')
  }
})
