// Finding of the doctor: whether the image libraries of ReadImage can be loaded.

import { findBunImage } from '../services/images/darkroom/bun-image.js'
import { GET_SHARP } from '../services/images/what-to-install.js'
import type { Finding } from './finding.js'

/** An executable built with Bun cannot load sharp from disk. */
const INSTALL_NPM_PACKAGE = 'Install the npm package instead of this executable: npx scorpiox-code install'

type LoadLibrary = () => Promise<unknown>

const LIBRARIES: ImageLibraries = {
  sharp: () => import('sharp'),
  heic: () => import('libheif-js/wasm-bundle.js'),
  canvas: () => import('@napi-rs/canvas'),
  hasBunImage: findBunImage() !== undefined,
}

interface ImageLibraries {
  readonly sharp: LoadLibrary
  readonly heic: LoadLibrary
  readonly canvas: LoadLibrary
  /** Whether the runtime has an image decoder. */
  readonly hasBunImage?: boolean
}

export async function examineImages({
  sharp,
  heic,
  canvas,
  hasBunImage,
}: ImageLibraries = LIBRARIES): Promise<Finding> {
  const hasHeic = await canLoad(heic)
  const hasCanvas = await canLoad(canvas)
  const hasSharp = await canLoad(sharp)
  if (!hasSharp && hasBunImage) {
    const detail = 'PNG, JPEG, GIF (first frame) and WebP, decoded by Bun; no AVIF, TIFF, SVG, HEIC or PDF pages'
    return { name: 'images', ok: true, detail, fix: INSTALL_NPM_PACKAGE }
  }
  if (!hasSharp) {
    const detail = 'sharp cannot be loaded: only small images, unchanged and without cropping'
    return { name: 'images', ok: false, detail, fix: `Large images and other formats are refused; ${GET_SHARP}.` }
  }
  const missing = [...(hasHeic ? [] : ['libheif-js']), ...(hasCanvas ? [] : ['@napi-rs/canvas'])]
  const optionalFormats = [hasHeic ? 'HEIC' : 'no HEIC', hasCanvas ? 'PDF pages' : 'no PDF pages']
  return {
    name: 'images',
    ok: true,
    detail: `PNG, JPEG, GIF, WebP, AVIF, TIFF, SVG, ${optionalFormats.join(', ')}`,
    // They are resolved from the directory of the program, so they must be installed together with it.
    ...(missing.length > 0 && { fix: `npm install -g ${missing.join(' ')} scorpiox-code && scorpiox-code install` }),
  }
}

async function canLoad(load: LoadLibrary): Promise<boolean> {
  try {
    await load()
    return true
  } catch {
    return false
  }
}
