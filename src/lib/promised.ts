// A promise with its resolve function.

export interface Promised<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
}

export function promised<T>(): Promised<T> {
  const resolver: { resolve?: (value: T) => void } = {}
  const promise = new Promise<T>((resolve) => (resolver.resolve = resolve))
  return { promise, resolve: (value) => resolver.resolve?.(value) }
}
