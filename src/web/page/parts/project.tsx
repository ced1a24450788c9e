// A project: its name to read, its whole path for whoever has two of that name.

export function Project({ path }: { readonly path: string }) {
  return (
    <span class="project" title={path}>
      <bdi dir="ltr">{nameOf(path)}</bdi>
    </span>
  )
}

export function nameOf(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== '') ?? path
}
