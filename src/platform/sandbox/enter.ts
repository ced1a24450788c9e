// The command line that starts a program in the sandbox: /bin/sh enters the cgroups, opens the seccomp filter as fd 9
// and executes bwrap. Nothing is searched in PATH, which may contain a folder of the project.

interface Entrance {
  readonly argv: readonly string[]
  readonly filter: string
  readonly limits: readonly string[]
}

export function enterCage({ argv, filter, limits }: Entrance, program: readonly string[]): readonly string[] {
  const script = [...limits.map((file) => `echo 0 >${quotePath(file)} || exit 126`), `exec "$@" 9<${quotePath(filter)}`]
  return ['/bin/sh', '-c', script.join('\n'), 'sh', ...argv, ...program]
}

function quotePath(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`
}
