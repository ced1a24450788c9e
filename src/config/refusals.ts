// Finds the tools that the settings disable, and the error text for calls of each.

import type { Config } from './load.js'
import { toolSwitch } from './options.js'

export function refusalsOf({ effective }: Config, tools: readonly string[]): ReadonlyMap<string, string> {
  const describeIfOff = (key: string): string | undefined => {
    const setting = effective.get(key)
    return setting?.value === false ? `${key}=0 (set by ${setting.source})` : undefined
  }
  return new Map(
    tools.flatMap((tool): [string, string][] => {
      const setting = describeIfOff('TOOLS') ?? describeIfOff(toolSwitch(tool))
      return setting === undefined ? [] : [[tool, `${tool} is switched off by the setting ${setting}`]]
    }),
  )
}
