// Loads optional packages; throws an error that names a missing one.

import type { OptionalPackage } from '../image-types.js'

export class MissingPackageError extends Error {
  constructor(readonly packageName: OptionalPackage) {
    super(`${packageName} is not installed`)
  }
}

/** Any load error counts as missing, because reinstalling is the remedy. */
export async function loadOptionalPackage<T>(name: OptionalPackage, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch {
    throw new MissingPackageError(name)
  }
}
