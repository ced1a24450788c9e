// The current view, from the URL fragment, so that back, forward and bookmarks work. Used by console-page; the list of
// views also by the header, icons and view-frame. Listens to the address.

import { useEffect, useState } from 'preact/hooks'

export const ROUTES = ['questions', 'jobs', 'tasks', 'callbacks', 'calls', 'tools'] as const

export type Route = (typeof ROUTES)[number]

export function useRoute(): Route {
  const [route, setRoute] = useState(current)
  useEffect(() => {
    const follow = (): void => setRoute(current())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return route
}

function current(): Route {
  return ROUTES.find((route) => location.hash === `#${route}`) ?? 'questions'
}
