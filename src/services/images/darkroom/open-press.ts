// Chooses the encoder: sharp, otherwise Bun.Image.

import { findBunImage } from './bun-image.js'
import { openBunPress } from './bun-press.js'
import { MissingPackage } from './missing-package.js'
import type { Press } from './press.js'
import { openSharpPress } from './sharp-press.js'

export async function openPress(): Promise<Press> {
  try {
    return await openSharpPress()
  } catch (error) {
    const open = error instanceof MissingPackage ? findBunImage() : undefined
    if (open === undefined) throw error
    return openBunPress(open)
  }
}
