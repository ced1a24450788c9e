// The files with unit tests that windows-src.mjs does not run, each with its reason. Tests that other files skip on Windows say
// why themselves (test/support/runtime.ts).

const BUBBLEWRAP = 'bubblewrap, mounts and cgroups are of Linux'
const SEATBELT = 'sandbox-exec is a program of macOS'
const SANDBOX = 'the rules of a sandbox name paths of Linux and macOS; Windows has none'
const BASH = 'runs commands in bash, and Git Bash cannot be had in Wine'
const SHELL_POOL = 'the pool of shells runs on Linux only'

export const POSIX_TESTS = {
  'packages/server/src/features/permissions/evaluate-command-bash.test.ts': BASH,
  'packages/server/src/features/shell/shell-service.test.ts': BASH,
  'packages/server/src/features/shell/user-jobs.test.ts': BASH,
  'packages/server/src/guarded-fetch/connector-upstream.test.ts': 'makes certificates with openssl',
  'packages/server/src/process/command-runner.test.ts': BASH,
  'packages/server/src/process/output-recorder.test.ts': 'jobs outlive the server on Linux only, where sh records them',
  'packages/server/src/process/read-command.test.ts': SHELL_POOL,
  'packages/server/src/process/shell-program-arguments.test.ts': BASH,
  'packages/server/src/process/shell-watchdog.test.ts': SHELL_POOL,
  'packages/server/src/sandbox/bubblewrap.test.ts': BUBBLEWRAP,
  'packages/server/src/sandbox/cgroups.test.ts': BUBBLEWRAP,
  'packages/server/src/sandbox/command-factory-mounts.test.ts': BUBBLEWRAP,
  'packages/server/src/sandbox/mount-plan.test.ts': BUBBLEWRAP,
  'packages/server/src/sandbox/protected-paths.test.ts': BUBBLEWRAP,
  'packages/server/src/sandbox/real-paths.test.ts': SANDBOX,
  'packages/server/src/sandbox/runtime-variables.test.ts': SANDBOX,
  'packages/server/src/sandbox/sandbox-policy.test.ts': SANDBOX,
  'packages/server/src/sandbox/seatbelt-commands.test.ts': SEATBELT,
  'packages/server/src/sandbox/seatbelt-files.test.ts': SEATBELT,
  'packages/server/src/sandbox/seatbelt-profile.test.ts': SEATBELT,
  'packages/server/src/sandbox/seatbelt-self-test.test.ts': SEATBELT,
}
