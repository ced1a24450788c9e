// HTML parser with a maximum nesting depth, so that each tag costs the same. Elements below it are flattened: their children
// become children of the deepest allowed element, so no text is lost.

import { Parser } from 'htmlparser2'

const MAX_DEPTH = 200
/** Tags for which the parser keeps a stack of the current language; some are never closed. */
const FOREIGN_TAGS = new Set('math svg mi mo mn ms mtext annotation-xml foreignobject desc title'.split(' '))
const MAX_FOREIGN_TAGS = 500
/** Elements without children whose content must not become text. */
const RAW_TEXT_TAGS = new Set(['script', 'style', 'title', 'textarea'])

export class DepthLimitedParser extends Parser {
  /** Whether the last opened tag is flattened. */
  isFlattened = false
  private depth = 0
  private foreignDepth = 0
  /** Open flattened tags by name. */
  private readonly flattenedTags = new Map<string, number>()
  private currentStep: 'open' | 'close' | '' = ''

  override onopentagname(start: number, end: number): void {
    this.isFlattened = false
    this.currentStep = 'open'
    super.onopentagname(start, end)
  }

  override onclosetag(start: number, end: number): void {
    this.isFlattened = false
    this.currentStep = 'close'
    super.onclosetag(start, end)
  }

  /** Must be called at the end of each element. Returns false if the element was flattened. */
  closeElement(): boolean {
    if (this.isFlattened) {
      this.isFlattened = false
      return false
    }
    this.depth--
    this.flattenedTags.clear()
    return true
  }

  /** The parser calls this first for each tag, to decide whether to push it on its stack. */
  protected override isVoidElement(name: string): boolean {
    const { currentStep } = this
    this.currentStep = ''
    const isVoid = super.isVoidElement(name)
    if (currentStep === 'open') this.openTag(name, isVoid)
    return isVoid || (currentStep === 'close' ? this.closesFlattened(name) : this.isFlattened)
  }

  private openTag(name: string, isVoid: boolean): void {
    const isForeign = FOREIGN_TAGS.has(name)
    const maxDepth = MAX_DEPTH + (RAW_TEXT_TAGS.has(name) ? 1 : 0)
    this.isFlattened = !isVoid && (this.depth >= maxDepth || (isForeign && this.foreignDepth >= MAX_FOREIGN_TAGS))
    if (this.isFlattened) this.flattenedTags.set(name, (this.flattenedTags.get(name) ?? 0) + 1)
    else {
      this.depth++
      if (isForeign) this.foreignDepth++
    }
  }

  private closesFlattened(name: string): boolean {
    if (FOREIGN_TAGS.has(name) && this.foreignDepth > 0) this.foreignDepth--
    const openTag = this.flattenedTags.get(name) ?? 0
    if (openTag > 0) this.flattenedTags.set(name, openTag - 1)
    return openTag > 0
  }
}
