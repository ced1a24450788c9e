// The words with which a program is started in a cage: the starting process takes on the limits, opens the filter where
// bwrap looks for it, and becomes bwrap. Nothing is looked up in PATH, which may lead through a folder of the project.

export interface Entrance {
  readonly argv: readonly string[]
  readonly filter: string
  readonly limits: readonly string[]
}

export function enterCage({ argv, filter, limits }: Entrance, program: readonly string[]): readonly string[] {
  const script = [...limits.map((file) => `echo 0 >${quote(file)} || exit 126`), `exec "$@" 9<${quote(filter)}`]
  return ['/bin/sh', '-c', script.join('\n'), 'sh', ...argv, ...program]
}

function quote(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`
}
