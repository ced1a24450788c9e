// Icons. They are decorative: the text beside them says the same. Used by the components and views. Renders only.

import type { Route } from '../route.js'

export type IconName = Route | 'check' | 'cross' | 'dots' | 'plan'

const PATHS: Readonly<Record<IconName, string>> = {
  questions: 'M4 5h16v11h-9l-4 4v-4H4zM10 8.6a2 2 0 1 1 2.6 2c-.4.2-.6.5-.6.9M12 13.6v.1',
  jobs: 'M5 7l5 5-5 5M12 18h7',
  tasks: 'M10 6h10M10 12h10M10 18h10M4 6l1 1 2-2M4 12l1 1 2-2M4 18l1 1 2-2',
  callbacks: 'M12 4a8.5 8.5 0 1 0 .1 0M12 8v5l3.2 2',
  calls: 'M3 12h4l3-8 4 16 3-8h4',
  tools: 'M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6 6l12 12M18 6L6 18',
  dots: 'M6 12h.01M12 12h.01M18 12h.01',
  plan: 'M6 3h9l4 4v14H6zM9 12h7M9 16h5',
}

export function Icon({ of, tone }: { readonly of: IconName; readonly tone?: string }) {
  return (
    <svg class={tone === undefined ? 'icon' : `icon ${tone}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[of]} />
    </svg>
  )
}
