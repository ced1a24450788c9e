// The name of a project, with the full path as tooltip.

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
