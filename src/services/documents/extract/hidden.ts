// Whether an element is there without being seen. Text that people do not see is a way to talk to models behind their
// backs, so it is not read. What waits for a click, comes in with an animation or fits another screen is only veiled:
// people will see it, so it is judged like the rest.

import { attribute, elementsOf, isElement, plainText, type Element, type Node, type Parent } from './tree.js'

export type Sight = 'seen' | 'veiled' | 'hidden'

const GONE = /display:none|visibility:(?:hidden|collapse)/
const AWAY =
  /font-size:0(?:px|em|rem|%)?(?:;|$|!)|(?:left|top|right|text-indent):-\d{4,}|clip:rect\(0|clip-path:inset\((?:50|100)%|transform:scale\(0\)|(?:^|;)(?:max-)?(?:height|width):[01](?:px)?;.{0,300}overflow:hidden/
const CLEAR = /(?:^|;)opacity:0(?:\.0*)?(?:;|$|!)/
const MOVING = /transform|transition|translate|will-change|filter|animation/
const MOVING_NAMES = /anim|fade|reveal|\baos\b|wow|motion|scroll|slide|lazy|in-view|w-/i
const PANEL =
  /accordion|collaps|toggle|faq|answer|tab-?(?:pane|content|bed)|tabbed|panel|expand|read-?more|show-?more|details|dropdown-content|slide|carousel|swiper/i
const READER_NAMES =
  /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text|screenreader|a11y-hidden|offscreen)(?:\s|$)/i
const HIDDEN_NAMES = /(?:^|\s)(?:hidden|d-none|is-hidden|invisible)(?:\s|$)/i
const OTHER_SCREENS = /(?:^|\s)(?:(?:sm|md|lg|xl|2xl|tablet|desktop|mobile):|d-(?:sm|md|lg|xl|print)-|group-|peer-)/i
/** So much text is no ornament. */
const MUCH = 150

export function sightOf(element: Element): Sight {
  const { attribs } = element
  // Most elements say nothing of the kind, and huge pages have hundreds of thousands.
  const isSilent = attribs.class === undefined && attribs.style === undefined && attribs.hidden === undefined
  if (isSilent && attribs['aria-hidden'] === undefined) return 'seen'
  const style = attribs.style === undefined ? '' : attribs.style.slice(0, 1000).toLowerCase().replace(/\s+/g, '')
  const names = attribs.class ?? ''
  const isOff =
    ('hidden' in attribs && attribs.hidden !== 'until-found') || GONE.test(style) || HIDDEN_NAMES.test(names)
  if (isOff) return waits(element, names) ? 'veiled' : 'hidden'
  if (AWAY.test(style) || READER_NAMES.test(names)) return 'hidden'
  if (CLEAR.test(style))
    return MOVING.test(style) ||
      MOVING_NAMES.test(Object.keys(attribs).join(' ') + names) ||
      elementsOf(element).length > 2
      ? 'veiled'
      : 'hidden'
  // It is seen, only not read aloud.
  if (attribs['aria-hidden'] === 'true') return plainText(element).length > MUCH ? 'veiled' : 'hidden'
  return 'seen'
}

/** For a click, for a wider window, or for the script that puts streamed parts into their places. */
function waits(element: Element, names: string): boolean {
  const role = attribute(element, 'role')
  const id = attribute(element, 'id')
  return (
    role === 'tabpanel' ||
    role === 'region' ||
    PANEL.test(`${names} ${id}`) ||
    OTHER_SCREENS.test(names) ||
    /^S:\w+$/.test(id)
  )
}

export function isHidden(element: Element): boolean {
  return sightOf(element) === 'hidden'
}

export function dropHidden(parent: Parent): void {
  let hidden: Set<Node> | undefined
  for (const child of parent.children) {
    if (!isElement(child)) continue
    if (isHidden(child)) (hidden ??= new Set()).add(child)
    else dropHidden(child)
  }
  const gone = hidden
  if (gone !== undefined) parent.children = parent.children.filter((child) => !gone.has(child))
}
