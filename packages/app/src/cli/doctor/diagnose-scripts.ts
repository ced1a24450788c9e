// Finding of the doctor, called from runDoctor in cli/commands.ts: the scripts that became tools, and the reasons for
// the others. Queries every script again: starts processes through a shell service of its own.

import { createChangeEvents } from '@scorpiox/mcp/definitions/change-events'
import type { Log } from '@scorpiox/mcp/log'
import type { Config } from '@scorpiox/server/config/load-config'
import { getScriptFolder } from '@scorpiox/server/config/paths'
import { openPlanPolicy } from '@scorpiox/server/features/plans/lazy'
import { openScriptIndex } from '@scorpiox/server/features/scripts/lazy'
import { openShellService } from '@scorpiox/server/features/shell/lazy'
import { createLazyDatabase } from '@scorpiox/server/lazy-state'
import { openPatternMatcher } from '@scorpiox/server/patterns/pattern-matcher'
import { createStdioSandbox } from '@scorpiox/server/sandbox/command-sandbox'
import { TOOLS } from '@scorpiox/server/tool-list'
import type { Finding } from './doctor.js'

/** Empty if no script folder is configured. */
export async function diagnoseScripts(config: Config, log: Log): Promise<readonly Finding[]> {
  const directory = getScriptFolder(config)
  if (directory === undefined) return []
  const changeEvents = createChangeEvents()
  const patterns = openPatternMatcher(config)
  const sandbox = openPlanPolicy(config, createStdioSandbox(config), createLazyDatabase(config))
  const shell = openShellService({ config, changeEvents, log, sandbox, patterns: () => Promise.resolve(patterns) })
  const toolNames = TOOLS.map(({ name }) => name)
  // The finding contains what would be logged.
  const index = openScriptIndex({
    directory,
    shell: () => Promise.resolve(shell),
    changeEvents,
    warn: () => {},
    reservedNames: toolNames,
  })
  try {
    await index.refresh()
    const { scripts, skipped, problem } = index
    const fix = [...(problem === undefined ? [] : [problem]), ...skipped.map(({ file, reason }) => `${file} ${reason}`)]
    const names = scripts.map(({ name }) => name).join(', ')
    const detail = `${names || 'none'} (in ${directory})`
    return [{ name: 'script tools', ok: fix.length === 0, detail, ...(fix.length > 0 && { fix: fix.join('\n') }) }]
  } finally {
    index.close()
    await shell.close()
  }
}
