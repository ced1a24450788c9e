// A promise that somebody else keeps.

export interface Promised<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
}

export function promised<T>(): Promised<T> {
  const settling: { resolve?: (value: T) => void } = {}
  const promise = new Promise<T>((resolve) => (settling.resolve = resolve))
  return { promise, resolve: (value) => settling.resolve?.(value) }
}
