// What code that is itself loaded on demand may use of the feature `shell`. Imported by `doctor` (diagnose-scripts
// and diagnose-environment), job-views, job-usage-sampler, output-stream and job-event-watcher. Re-exports only.

export { findDirenv, findEnvrc } from './environment/direnv.js'
export { findPrograms } from './environment/virtual-environment.js'
export { canMeasureJobs, readJobUsage } from './job-usage.js'
export { openShellService } from './open-shell-service.js'
export { dropPartialCharacter, previewOutput, readLinesFrom } from './read-job-output.js'
export { findTerminalPrograms } from './terminal.js'
