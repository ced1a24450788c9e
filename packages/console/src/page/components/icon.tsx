// Icons. They are decorative: the text beside them says the same. Used by the components and views. Renders only.

import type { ViewName } from '../route.js'

export type IconName =
  | ViewName
  | 'back'
  | 'check'
  | 'cross'
  | 'dots'
  | 'edit'
  | 'expand'
  | 'handle'
  | 'menu'
  | 'offline'
  | 'search'
  | 'settings'

const PATHS: Readonly<Record<IconName, string>> = {
  home: 'M4 5h16v11h-9l-4 4v-4H4zM10 8.6a2 2 0 1 1 2.6 2c-.4.2-.6.5-.6.9M12 13.6v.1',
  jobs: 'M5 7l5 5-5 5M12 18h7',
  plans: 'M6 3h9l4 4v14H6zM9 12h7M9 16h5',
  tasks: 'M10 6h10M10 12h10M10 18h10M4 6l1 1 2-2M4 12l1 1 2-2M4 18l1 1 2-2',
  callbacks: 'M12 4a8.5 8.5 0 1 0 .1 0M12 8v5l3.2 2',
  calls: 'M3 12h4l3-8 4 16 3-8h4',
  tools: 'M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4',
  back: 'M15 5l-7 7 7 7',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6L6 18',
  edit: 'M4 20l1-4L16.5 4.5l3 3L8 19zM14 7l3 3',
  expand: 'M6 9l6 6 6-6',
  handle: 'M9 6h.01M9 12h.01M9 18h.01M15 6h.01M15 12h.01M15 18h.01',
  dots: 'M6 12h.01M12 12h.01M18 12h.01',
  menu: 'M4 7h16M4 12h16M4 17h16',
  offline: 'M12 4L2.5 20h19zM12 10v4.5M12 17.3v.1',
  search: 'M10.5 4.5a6 6 0 1 0 .1 0M15 15l5 5',
  settings:
    'M12 8.8a3.2 3.2 0 1 0 .1 0M12 3v2.6M12 18.4V21M3 12h2.6M18.4 12H21M5.6 5.6l1.9 1.9M16.5 16.5l1.9 1.9M18.4 5.6l-1.9 1.9M7.5 16.5l-1.9 1.9',
}

export function Icon({ of, tone }: { readonly of: IconName; readonly tone?: string }) {
  return (
    <svg class={tone === undefined ? 'icon' : `icon ${tone}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[of]} />
    </svg>
  )
}
