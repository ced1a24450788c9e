// Work that may be asked for at any rate and is done at a bounded one: at once where it was not done for a while, otherwise
// when its time has come. It never overlaps itself, and whoever asked during it sees it done once more.

export interface Paced {
  ask(): void
  /** Nothing is begun any more. */
  stop(): void
}

export function paced(everyMs: number, work: () => void | Promise<void>): Paced {
  let timer: NodeJS.Timeout | undefined
  let isAsked = false
  let isBusy = false
  let isStopped = false

  function begin(): void {
    if (isBusy || timer || isStopped) return
    isAsked = false
    isBusy = true
    timer = setTimeout(rest, everyMs).unref()
    // What it throws is nobody's answer, and must not keep it from being done again.
    void run().finally(() => {
      isBusy = false
      again()
    })
  }

  async function run(): Promise<void> {
    await work()
  }

  function rest(): void {
    timer = undefined
    again()
  }

  function again(): void {
    if (isAsked) begin()
  }

  return {
    ask() {
      isAsked = true
      begin()
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
