// Explains what happens to a background task that `call` started: its server exits together with `call`.

import type { Config } from '../config/load.js'

export function jobAfterCall(id: number, { settings, effective }: Config, program: string): string {
  if (!settings.JOBS_OUTLIVE_SERVER) {
    return (
      `Background task ${id} was stopped when this command ended: a background task runs only as long as its server.\n` +
      'To keep it running, add -e JOBS_OUTLIVE_SERVER=1. To wait for its end instead, use Bash with a timeout, such as ' +
      'timeout=600000 (milliseconds).\n'
    )
  }
  const flag = effective.get('JOBS_OUTLIVE_SERVER')?.source === '-e' ? ' -e JOBS_OUTLIVE_SERVER=1' : ''
  return (
    `Background task ${id} keeps running after this command.\n` +
    `  Read its output:  ${program} call ReadBgOutput task_id=${id}${flag}\n` +
    `  Stop it:          ${program} call KillBgTask task_id=${id}${flag}\n`
  )
}
