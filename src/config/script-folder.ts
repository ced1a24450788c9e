// Where the scripts lie that become tools; undefined where the person named no folder, or switched tools off.

import { join, resolve } from 'node:path'

import type { Config } from './load.js'

export function scriptFolderOf({ settings, cwd, home }: Pick<Config, 'settings' | 'cwd' | 'home'>): string | undefined {
  const { SCRIPT_TOOLS: named, TOOLS: isOn } = settings
  if (named === '' || !isOn) return undefined
  const isOfHome = home !== '' && (named === '~' || named.startsWith('~/'))
  return isOfHome ? join(home, named.slice(1)) : resolve(cwd, named)
}
