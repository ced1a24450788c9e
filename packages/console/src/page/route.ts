// The current view and what is open in it, from the URL fragment (`#/jobs/3`), so that back, forward and bookmarks work.
// Used by console-page; links are made with routeHref. Listens to the address.

import { useEffect, useState } from 'preact/hooks'

export const VIEWS = ['home', 'jobs', 'calls', 'plans', 'tasks', 'callbacks', 'tools'] as const

export type ViewName = (typeof VIEWS)[number]

export interface Route {
  readonly view: ViewName
  /** What is open in the view, such as `['3']` for job 3; empty: the list. */
  readonly path: readonly string[]
  /** Conditions of a list, such as `?tool=Bash`. */
  readonly query: Readonly<Record<string, string>>
}

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = (): void => setHash(location.hash)
    addEventListener('hashchange', follow)
    // It may have changed between the first rendering and this effect, which browsers run later.
    follow()
    return () => removeEventListener('hashchange', follow)
  }, [])
  return parseRoute(hash)
}

export function routeHref(view: ViewName, ...path: readonly (string | number)[]): string {
  return `#/${[view, ...path].map((part) => encodeURIComponent(part)).join('/')}`
}

/** The same address with other conditions; those that are empty are left out. */
export function withQuery(href: string, query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString()
  return text === '' ? href : `${href}?${text}`
}

/** An unknown fragment is the start view. */
function parseRoute(hash: string): Route {
  const [address = '', search = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  const [name, ...path] = address.split('/').map(decodePart)
  const view = VIEWS.find((each) => each === name)
  if (view === undefined) return { view: 'home', path: [], query: {} }
  return { view, path: path.filter((part) => part !== ''), query: Object.fromEntries(new URLSearchParams(search)) }
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
