// The name a heading goes by in an address, as GitHub and most generators make it.

export function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

/** Whether an address means this heading: by its id, or by its words. */
export function isNamed(fragment: string, { id, title }: { id: string; title: string }): boolean {
  const wanted = unescaped(fragment)
  if (id !== '' && (id === fragment || id === wanted)) return true
  return plain(title) !== '' && plain(title) === plain(wanted.replaceAll('-', ' '))
}

function plain(text: string): string {
  return slugOf(text).replace(/[-_]+/g, '-')
}

function unescaped(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
