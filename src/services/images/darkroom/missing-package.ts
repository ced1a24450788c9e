// Loads optional packages; throws an error that names a missing one.

import type { Missing } from '../picture.js'

export class MissingPackage extends Error {
  constructor(readonly needed: Missing) {
    super(`${needed} is not installed`)
  }
}

/** Any load error counts as missing, because reinstalling is the remedy. */
export async function loaded<T>(name: Missing, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch {
    throw new MissingPackage(name)
  }
}
