// Images made of pixels: by sharp or, where it is not installed, by what the runtime has.

import { findBunImage } from './bun-image.js'
import { exposeByBun } from './bun-raster.js'
import type { Exposure, Subject } from './exposure.js'
import { MissingPackage } from './missing-package.js'
import { loadSharp } from './sharp.js'
import { exposeBySharp } from './sharp-raster.js'

export async function exposeRaster(subject: Subject): Promise<Exposure> {
  try {
    const open = await loadSharp()
    return await exposeBySharp(open, subject)
  } catch (error) {
    const open = error instanceof MissingPackage ? findBunImage() : undefined
    if (open === undefined) throw error
    return exposeByBun(open, subject)
  }
}
