// What code that is itself loaded on demand may use of the feature `shell`.

export { openShellService } from './open-shell-service.js'
export { dropPartialCharacter, previewOutput, readLinesFrom } from './read-job-output.js'
export { runStartupTasks } from './startup-tasks.js'
