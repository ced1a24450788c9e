// Finding of the doctor: the scripts that became tools, and the reasons for the others. Queries every script again.

import type { Config } from '../config/load.js'
import { scriptFolderOf } from '../config/script-folder.js'
import type { Log } from '../platform/log.js'
import { createNotices } from '../services/notices.js'
import { openScripts } from '../services/scripts/open-scripts.js'
import { confinementOf } from '../services/shell/confinement.js'
import { openShell } from '../services/shell/open-shell.js'
import { lazyState } from '../services/state.js'
import { TOOLS } from '../tools/index.js'
import type { Finding } from './finding.js'

/** Empty if no script folder is configured. */
export async function examineScripts(config: Config, log: Log): Promise<readonly Finding[]> {
  const folder = scriptFolderOf(config)
  if (folder === undefined) return []
  const notices = createNotices()
  const shell = openShell({ config, notices, log, confinement: confinementOf(config), state: lazyState(config) })
  const toolNames = TOOLS.map(({ name }) => name)
  // The finding contains what would be logged.
  const index = openScripts({
    folder,
    shell: () => Promise.resolve(shell),
    notices,
    complain: () => {},
    house: toolNames,
  })
  try {
    await index.refresh()
    const { scripts, leftOut, problem } = index
    const fix = [...(problem === undefined ? [] : [problem]), ...leftOut.map(({ file, reason }) => `${file} ${reason}`)]
    const names = scripts.map(({ name }) => name).join(', ')
    const detail = `${names || 'none'} (in ${folder})`
    return [{ name: 'script tools', ok: fix.length === 0, detail, ...(fix.length > 0 && { fix: fix.join('\n') }) }]
  } finally {
    index.close()
    await shell.close()
  }
}
