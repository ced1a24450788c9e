// What the process modules know about a sandboxed command. It is declared here, so that they do not import the sandbox.

export interface SandboxedCommand {
  /** bwrap and its flags; the program and its arguments follow. */
  readonly argv: readonly string[]
  /** The seccomp filter, to be open for reading as descriptor 9. */
  readonly seccompFile: string
  /** Files to which the starting process writes "0" first. If a write fails, it must not continue. */
  readonly cgroupFiles: readonly string[]
  /** The bash to run in the sandbox. No command can have written this file. */
  readonly bash: string
  /** Shell code for that bash to run before the command, such as `exec 251<&-; ulimit -u 512; `, or ''. */
  readonly shellPrelude: string
  /** Whether a sandbox created now would have the same mounts. If not, a prepared shell must be discarded and released. */
  isUpToDate(): boolean
  /** To be called when the program and all its children have exited. */
  release(): void
}
