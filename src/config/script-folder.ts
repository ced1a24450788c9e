// Returns the folder whose scripts become tools; undefined if SCRIPT_TOOLS is not set or tools are disabled.

import { join, resolve } from 'node:path'

import type { Config } from './load.js'

export function scriptFolderOf({ settings, cwd, home }: Pick<Config, 'settings' | 'cwd' | 'home'>): string | undefined {
  const { SCRIPT_TOOLS: path, TOOLS: hasTools } = settings
  if (path === '' || !hasTools) return undefined
  const isInHome = home !== '' && (path === '~' || path.startsWith('~/'))
  return isInHome ? join(home, path.slice(1)) : resolve(cwd, path)
}
