// Whether something comes within a time. A process that was too busy to listen so long gets a last chance: what lies in
// a pipe is read in the next turn of the event loop.

export function comesWithin(ms: number, event: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => setImmediate(() => setImmediate(resolve, false)), ms)
    void event.then(() => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}
