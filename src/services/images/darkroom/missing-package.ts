// Says which package would have been needed.

import type { Missing } from '../picture.js'

export class MissingPackage extends Error {
  constructor(readonly needed: Missing) {
    super(`${needed} is not installed`)
  }
}

/** What a package exports; whatever keeps it from being loaded, it has to be installed anew. */
export async function loaded<T>(name: Missing, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch {
    throw new MissingPackage(name)
  }
}
