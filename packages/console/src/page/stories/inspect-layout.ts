// Finds mistakes of the layout in the document: content wider than the screen, elements to click that are too small,
// outside or on top of each other, text that is cut off or drawn over other text. Used by the test of the stories through
// story-page. Reads the document.

const INTERACTIVE = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'
/** For screen readers only, or drawn by a component of its own. */
const IGNORED = '.unseen, .skip, svg *, .xterm, .xterm *'
/** CSS pixels, as WCAG 2.5.8 demands. */
const SMALLEST_TARGET = 24

/** One line for each mistake. */
export function inspectLayout(): readonly string[] {
  const modal = [...document.querySelectorAll('dialog[open]')].at(-1)
  const scope = modal ?? document.body
  const elements = [...scope.querySelectorAll<HTMLElement>('*')].filter(isShown)
  const targets = elements.filter((element) => element.matches(INTERACTIVE) && !isDisabled(element)).map(toTarget)
  return [
    ...findOverflow(),
    ...elements.filter(isOutside).map((element) => `outside the screen: ${describe(element)}`),
    ...elements.filter(isCutOff).map((element) => `cut off: ${describe(element)}`),
    ...elements.filter(lacksBeginning).map((element) => `cut off at the beginning: ${describe(element)}`),
    ...targets.filter(isTooSmall).map(({ element, box }) => `small target, ${size(box)}: ${describe(element)}`),
    ...findOverlaps(targets.map(toVisible), 1, 0).map((pair) => `targets overlap: ${pair}`),
    // Boxes of lines are higher than their letters.
    ...findOverlaps(elements.flatMap(toTexts), 2, 0.45).map((pair) => `texts overlap: ${pair}`),
  ]
}

interface Placed {
  readonly element: Element
  readonly box: DOMRect
}

function isShown(element: HTMLElement): boolean {
  // For screen readers only.
  if (element.closest(IGNORED) !== null || getComputedStyle(element).clipPath === 'inset(50%)') return false
  const box = element.getBoundingClientRect()
  if (box.width === 0 || box.height === 0) return false
  return element.checkVisibility({ visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true })
}

function isDisabled(element: Element): boolean {
  return element.matches(':disabled')
}

function findOverflow(): readonly string[] {
  const { scrollWidth } = document.documentElement
  return scrollWidth > innerWidth ? [`the page is ${scrollWidth} px wide, the screen ${innerWidth} px`] : []
}

function isOutside(element: HTMLElement): boolean {
  const box = element.getBoundingClientRect()
  return (box.left < -1 || box.right > innerWidth + 1) && findClip(element, 'x') === undefined
}

/** Content that an ancestor hides without a way to scroll there and without an ellipsis. */
function isCutOff(element: HTMLElement): boolean {
  if (!hasText(element)) return false
  const text = textBox(element)
  const clip = findClip(element, 'x') ?? findClip(element, 'y')
  if (clip === undefined) return false
  const { overflowX, overflowY, textOverflow, webkitLineClamp } = getComputedStyle(clip)
  if (textOverflow === 'ellipsis' || webkitLineClamp !== 'none') return false
  const area = clip.getBoundingClientRect()
  const isCutSideways = !canScroll(overflowX) && (text.left < area.left - 1 || text.right > area.right + 1)
  const isCutDown = !canScroll(overflowY) && (text.top < area.top - 6 || text.bottom > area.bottom + 6)
  return isCutSideways || isCutDown
}

/** An ellipsis replaces the beginning of the text, because the element that clips it has the other direction. */
function lacksBeginning(element: HTMLElement): boolean {
  const clip = hasText(element) ? findClip(element, 'x') : undefined
  if (clip === undefined || canScroll(getComputedStyle(clip).overflowX)) return false
  const [text, area] = [textBox(element), clip.getBoundingClientRect()]
  return getComputedStyle(element).direction === 'rtl' ? text.right > area.right + 1 : text.left < area.left - 1
}

/** The nearest element, itself included, that does not show what is outside of it. */
function findClip(element: Element, axis: 'x' | 'y'): Element | undefined {
  for (let at: Element | null = element; at !== null && at !== document.documentElement; at = at.parentElement) {
    const style = getComputedStyle(at)
    if ((axis === 'x' ? style.overflowX : style.overflowY) !== 'visible' && style.display !== 'inline') return at
  }
  return undefined
}

function canScroll(overflow: string): boolean {
  return overflow === 'auto' || overflow === 'scroll'
}

function hasText(element: Element): boolean {
  return [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '')
}

function textBox(element: Element): DOMRect {
  const range = document.createRange()
  range.selectNodeContents(element)
  return range.getBoundingClientRect()
}

/** A radio button or checkbox is as large as its label. */
function toTarget(element: HTMLElement): Placed {
  const label = element.matches('[type=radio], [type=checkbox]') ? element.closest('label') : null
  return { element, box: (label ?? element).getBoundingClientRect() }
}

function toVisible({ element, box }: Placed): Placed {
  return { element, box: clipBox(element, box) }
}

function isTooSmall({ element, box }: Placed): boolean {
  // A link within a sentence has the height of its line.
  const isInline = getComputedStyle(element).display === 'inline' && element.tagName === 'A'
  return !isInline && (box.width < SMALLEST_TARGET || box.height < SMALLEST_TARGET)
}

/** A rectangle for each line of text. */
function toTexts(element: HTMLElement): readonly Placed[] {
  return [...element.childNodes]
    .filter((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '')
    .flatMap((node) => {
      const range = document.createRange()
      range.selectNodeContents(node)
      return [...range.getClientRects()].map((box) => ({ element, box: clipBox(element, box) }))
    })
    .filter(({ box }) => box.width > 1 && box.height > 1)
}

/** The part that its scrolling ancestors show. */
function clipBox(element: Element, box: DOMRect): DOMRect {
  let { left, top, right, bottom } = box
  for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement) {
    const style = getComputedStyle(at)
    if (style.overflowX === 'visible' && style.overflowY === 'visible') continue
    const area = at.getBoundingClientRect()
    left = Math.max(left, area.left)
    top = Math.max(top, area.top)
    right = Math.min(right, area.right)
    bottom = Math.min(bottom, area.bottom)
  }
  return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top))
}

/**
 * Pairs that cover each other by more than some pixels sideways and a part of their height, without being part of each
 * other. What stays in place while the rest scrolls may cover the rest.
 */
function findOverlaps(placed: readonly Placed[], pixels: number, part: number): readonly string[] {
  const sorted = placed
    .filter(({ box }) => box.width > 1 && box.height > 1)
    .map(({ element, box }) => ({ element, box, layer: layerOf(element) }))
    .toSorted((a, b) => a.box.top - b.box.top)
  return sorted.flatMap((a, index) => {
    const found: string[] = []
    for (const b of sorted.slice(index + 1)) {
      if (b.box.top >= a.box.bottom) break
      const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left)
      const down = Math.min(a.box.bottom, b.box.bottom) - b.box.top
      const isCovered = across > pixels && down > Math.max(1, Math.min(a.box.height, b.box.height) * part)
      if (isCovered && a.layer === b.layer && !isRelated(a.element, b.element))
        found.push(`${describe(a.element)} and ${describe(b.element)}`)
    }
    return found
  })
}

/** What scrolls with it. */
function layerOf(element: Element): Element | undefined {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    if (/^(fixed|sticky)$/.test(getComputedStyle(at).position)) return at
  }
  return undefined
}

function isRelated(a: Element, b: Element): boolean {
  return a.contains(b) || b.contains(a) || a.closest('label')?.contains(b) === true
}

function describe(element: Element): string {
  const text = element.textContent?.trim().replace(/\s+/g, ' ').slice(0, 40) ?? ''
  const name = element.getAttribute('class')
  return `<${element.tagName.toLowerCase()}${name === null ? '' : ` class="${name}"`}> ${text}`
}

function size(box: DOMRect): string {
  return `${Math.round(box.width)}×${Math.round(box.height)}`
}
