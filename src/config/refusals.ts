// Which tools the settings switch off, and the sentence a caller of each is told.

import type { Config } from './load.js'
import { toolSwitch } from './options.js'

export function refusalsOf({ effective }: Config, tools: readonly string[]): ReadonlyMap<string, string> {
  const off = (key: string): string | undefined => {
    const setting = effective.get(key)
    return setting?.value === false ? `${key}=0 (set by ${setting.source})` : undefined
  }
  return new Map(
    tools.flatMap((tool): [string, string][] => {
      const setting = off('TOOLS') ?? off(toolSwitch(tool))
      return setting === undefined ? [] : [[tool, `${tool} is switched off by the setting ${setting}`]]
    }),
  )
}
