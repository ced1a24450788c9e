// What Bun has beyond Node.js, as far as this house uses it.

export interface Bun {
  file(fd: number): { stream(): ReadableStream<Uint8Array> }
}

/** undefined on any other runtime. */
export function findBun(): Bun | undefined {
  const found: unknown = Reflect.get(globalThis, 'Bun')
  return isBun(found) ? found : undefined
}

function isBun(value: unknown): value is Bun {
  return typeof value === 'object' && value !== null && 'file' in value && typeof value.file === 'function'
}
