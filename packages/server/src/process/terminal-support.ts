// Whether jobs can run on a terminal on this system, as far as that is known without starting anything: the server
// offers terminals only then. Used by create-server.ts, system-descriptions and messages about input. On macOS, looks for a package.

import { createRequire } from 'node:module'

import { getBunApi } from '@scorpiox/mcp/runtime'

export const TERMINAL_PACKAGE = '@lydell/node-pty'

/** On Linux, script(1) is nearly always there; if it is not, the first job on a terminal says what to install. */
export function canMakeTerminals(
  platform: NodeJS.Platform = process.platform,
  isInstalled: () => boolean = isPackageInstalled,
): boolean {
  if (platform !== 'darwin') return platform === 'linux'
  return getBunApi('Terminal') !== undefined || isInstalled()
}

/** A sentence for programs that need a terminal, with a space before it; empty where there are none. */
export function adviseTerminal(sentence: string, platform: NodeJS.Platform = process.platform): string {
  return canMakeTerminals(platform) ? ` ${sentence}` : ''
}

/** The package is not loaded. */
function isPackageInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(TERMINAL_PACKAGE)
    return true
  } catch {
    return false
  }
}
