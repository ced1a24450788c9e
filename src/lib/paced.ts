// A throttle: work that is requested at any rate runs at most once per interval, at once if the interval has passed.
// Runs never overlap, and a request during a run causes one more run.

export interface Paced {
  ask(): void
  /** No further run is started. */
  stop(): void
}

export function paced(intervalMs: number, work: () => void | Promise<void>): Paced {
  let timer: NodeJS.Timeout | undefined
  let isRequested = false
  let isBusy = false
  let isStopped = false

  function start(): void {
    if (isBusy || timer || isStopped) return
    isRequested = false
    isBusy = true
    timer = setTimeout(onIntervalEnd, intervalMs).unref()
    // Errors are ignored, so that they do not prevent the next run.
    void run().finally(() => {
      isBusy = false
      startIfRequested()
    })
  }

  async function run(): Promise<void> {
    await work()
  }

  function onIntervalEnd(): void {
    timer = undefined
    startIfRequested()
  }

  function startIfRequested(): void {
    if (isRequested) start()
  }

  return {
    ask() {
      isRequested = true
      start()
    },
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
