// Decodes raster images with sharp, otherwise with Bun.Image.

import { findBunImage } from './bun-image.js'
import { exposeByBun } from './bun-raster.js'
import type { Exposure, Subject } from './exposure.js'
import { MissingPackage } from './missing-package.js'
import { loadSharp } from './sharp.js'
import { exposeBySharp } from './sharp-raster.js'

export async function exposeRaster(input: Subject): Promise<Exposure> {
  try {
    const openSharp = await loadSharp()
    return await exposeBySharp(openSharp, input)
  } catch (error) {
    const openBunImage = error instanceof MissingPackage ? findBunImage() : undefined
    if (openBunImage === undefined) throw error
    return exposeByBun(openBunImage, input)
  }
}
