// Output stream for prompts: batches what is drawn in one tick into one write, and has the size of the terminal. Output can
// be discarded for the duration of a function.

import { Writable } from 'node:stream'

export class Canvas extends Writable {
  readonly #terminal: NodeJS.WriteStream
  readonly #repeatResize = (): void => void this.emit('resize')
  #drawn = ''
  #isSilent = false

  constructor(terminal: NodeJS.WriteStream) {
    super({ decodeStrings: false })
    this.#terminal = terminal
    this.setMaxListeners(0)
    terminal.on('resize', this.#repeatResize)
  }

  get columns(): number {
    return this.#terminal.columns || 80
  }

  get rows(): number {
    return this.#terminal.rows || 24
  }

  override _write(text: Buffer | string, _: string, done: () => void): void {
    if (!this.#isSilent) {
      if (this.#drawn === '') setImmediate(() => this.flush())
      this.#drawn += text.toString()
    }
    done()
  }

  flush(): void {
    const drawn = this.#drawn
    this.#drawn = ''
    if (drawn !== '' && !this.#terminal.destroyed) this.#terminal.write(drawn)
  }

  silently(work: () => void): void {
    this.#isSilent = true
    work()
    this.#isSilent = false
  }
}
