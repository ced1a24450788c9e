// Visibility of an element by its attributes and inline style. Hidden text is dropped because it can carry prompt
// injection. Text that is revealed by a click, an animation or another screen size is "collapsed" and classified like
// visible text. Used by read-html, the classifier and the writers. Pure, except removeHidden, which changes the tree.

import {
  childElements,
  type DomElement,
  type DomNode,
  type DomParent,
  getAttribute,
  isElement,
  singleLineText,
} from './tree.js'

export type Visibility = 'visible' | 'collapsed' | 'hidden'

const DISPLAY_NONE = /display:none|visibility:(?:hidden|collapse)/
const OFFSCREEN =
  /font-size:0(?:px|em|rem|%)?(?:;|$|!)|(?:left|top|right|text-indent):-\d{4,}|clip:rect\(0|clip-path:inset\((?:50|100)%|transform:scale\(0\)|(?:^|;)(?:max-)?(?:height|width):[01](?:px)?;.{0,300}overflow:hidden/
const TRANSPARENT = /(?:^|;)opacity:0(?:\.0*)?(?:;|$|!)/
const ANIMATED = /transform|transition|translate|will-change|filter|animation/
const ANIMATION_CLASSES = /anim|fade|reveal|\baos\b|wow|motion|scroll|slide|lazy|in-view|w-/i
const COLLAPSIBLE_CLASSES =
  /accordion|collaps|toggle|faq|answer|tab-?(?:pane|content|bed)|tabbed|panel|expand|read-?more|show-?more|details|dropdown-content|slide|carousel|swiper/i
const SCREEN_READER_CLASSES =
  /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text|screenreader|a11y-hidden|offscreen)(?:\s|$)/i
const HIDDEN_CLASSES = /(?:^|\s)(?:hidden|d-none|is-hidden|invisible)(?:\s|$)/i
const RESPONSIVE_CLASSES =
  /(?:^|\s)(?:(?:sm|md|lg|xl|2xl|tablet|desktop|mobile):|d-(?:sm|md|lg|xl|print)-|group-|peer-)/i
/** More text than this is content, not decoration. */
const MIN_CONTENT_CHARS = 150

export function detectVisibility(element: DomElement): Visibility {
  const { attribs } = element
  // Fast path: most elements have none of these attributes, and large pages have hundreds of thousands of elements.
  const hasNoHint = attribs.class === undefined && attribs.style === undefined && attribs.hidden === undefined
  if (hasNoHint && attribs['aria-hidden'] === undefined) return 'visible'
  const style = attribs.style === undefined ? '' : attribs.style.slice(0, 1000).toLowerCase().replace(/\s+/g, '')
  const classes = attribs.class ?? ''
  const isNotDisplayed =
    ('hidden' in attribs && attribs.hidden !== 'until-found') ||
    DISPLAY_NONE.test(style) ||
    HIDDEN_CLASSES.test(classes)
  if (isNotDisplayed) return isRevealedLater(element, classes) ? 'collapsed' : 'hidden'
  if (OFFSCREEN.test(style) || SCREEN_READER_CLASSES.test(classes)) return 'hidden'
  if (TRANSPARENT.test(style))
    return ANIMATED.test(style) ||
      ANIMATION_CLASSES.test(Object.keys(attribs).join(' ') + classes) ||
      childElements(element).length > 2
      ? 'collapsed'
      : 'hidden'
  // Visible, but not for screen readers.
  if (attribs['aria-hidden'] === 'true')
    return singleLineText(element).length > MIN_CONTENT_CHARS ? 'collapsed' : 'hidden'
  return 'visible'
}

/** Revealed by a click, a wider window, or the script that moves streamed parts into place (`S:1`). */
function isRevealedLater(element: DomElement, classes: string): boolean {
  const role = getAttribute(element, 'role')
  const id = getAttribute(element, 'id')
  return (
    role === 'tabpanel' ||
    role === 'region' ||
    COLLAPSIBLE_CLASSES.test(`${classes} ${id}`) ||
    RESPONSIVE_CLASSES.test(classes) ||
    /^S:\w+$/.test(id)
  )
}

export function isHidden(element: DomElement): boolean {
  return detectVisibility(element) === 'hidden'
}

export function removeHidden(parent: DomParent): void {
  let hidden: Set<DomNode> | undefined
  for (const child of parent.children) {
    if (!isElement(child)) continue
    if (isHidden(child)) (hidden ??= new Set()).add(child)
    else removeHidden(child)
  }
  const removed = hidden
  if (removed !== undefined) parent.children = parent.children.filter((child) => !removed.has(child))
}
