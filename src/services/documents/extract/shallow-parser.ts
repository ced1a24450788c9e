// A parser that pays the same for every tag, however deep it stands: what is nested too deep is made flat. Its children
// become those of the last element that is not, so that no text is lost.

import { Parser } from 'htmlparser2'

const MAX_DEPTH = 200
/** Names after which the parser remembers which language it is in, until they end; some never do. */
const FOREIGN = new Set('math svg mi mo mn ms mtext annotation-xml foreignobject desc title'.split(' '))
const MAX_FOREIGN = 500
/** Nothing can be nested in them, and what they hold must not become text. */
const RAW = new Set(['script', 'style', 'title', 'textarea'])

export class ShallowParser extends Parser {
  /** Whether the tag that was last opened is made flat. */
  isFlat = false
  private depth = 0
  private foreign = 0
  /** How many of each name are open without being there. */
  private readonly flat = new Map<string, number>()
  private step: 'open' | 'close' | '' = ''

  override onopentagname(start: number, end: number): void {
    this.isFlat = false
    this.step = 'open'
    super.onopentagname(start, end)
  }

  override onclosetag(start: number, end: number): void {
    this.isFlat = false
    this.step = 'close'
    super.onclosetag(start, end)
  }

  /** To be asked at the end of each element: whether it was there. */
  closes(): boolean {
    if (this.isFlat) {
      this.isFlat = false
      return false
    }
    this.depth--
    this.flat.clear()
    return true
  }

  /** The first question after a tag has begun is the one whether to remember it. */
  protected override isVoidElement(name: string): boolean {
    const { step } = this
    this.step = ''
    const isVoid = super.isVoidElement(name)
    if (step === 'open') this.open(name, isVoid)
    return isVoid || (step === 'close' ? this.endsFlat(name) : this.isFlat)
  }

  private open(name: string, isVoid: boolean): void {
    const isForeign = FOREIGN.has(name)
    const most = MAX_DEPTH + (RAW.has(name) ? 1 : 0)
    this.isFlat = !isVoid && (this.depth >= most || (isForeign && this.foreign >= MAX_FOREIGN))
    if (this.isFlat) this.flat.set(name, (this.flat.get(name) ?? 0) + 1)
    else {
      this.depth++
      if (isForeign) this.foreign++
    }
  }

  private endsFlat(name: string): boolean {
    if (FOREIGN.has(name) && this.foreign > 0) this.foreign--
    const open = this.flat.get(name) ?? 0
    if (open > 0) this.flat.set(name, open - 1)
    return open > 0
  }
}
