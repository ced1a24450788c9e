// Heading slugs as made by GitHub and most generators, and matching of URL fragments.

export function slugify(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-')
}

/** Whether a fragment names this heading: by its id, or by its text. */
export function matchesFragment(fragment: string, { id, title }: { id: string; title: string }): boolean {
  const decoded = decodeFragment(fragment)
  if (id !== '' && (id === fragment || id === decoded)) return true
  return normalizeTitle(title) !== '' && normalizeTitle(title) === normalizeTitle(decoded.replaceAll('-', ' '))
}

function normalizeTitle(text: string): string {
  return slugify(text).replace(/[-_]+/g, '-')
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
