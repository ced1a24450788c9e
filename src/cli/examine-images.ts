// What the doctor says about images: whether what ReadImage decodes them with can be loaded.

import { findBunImage } from '../services/images/darkroom/bun-image.js'
import { GET_SHARP } from '../services/images/what-to-install.js'
import type { Finding } from './finding.js'

/** Bun takes no sharp from the disk into the executable. */
const GET_THOSE = 'Install the npm package instead of this executable: npx scorpiox-code install'

type Load = () => Promise<unknown>

const LIBRARIES: Libraries = {
  sharp: () => import('sharp'),
  heic: () => import('libheif-js/wasm-bundle.js'),
  canvas: () => import('@napi-rs/canvas'),
  hasBunImage: findBunImage() !== undefined,
}

interface Libraries {
  readonly sharp: Load
  readonly heic: Load
  readonly canvas: Load
  /** Whether the runtime decodes images by itself. */
  readonly hasBunImage?: boolean
}

export async function examineImages({ sharp, heic, canvas, hasBunImage }: Libraries = LIBRARIES): Promise<Finding> {
  const hasHeic = await isThere(heic)
  const hasCanvas = await isThere(canvas)
  const hasSharp = await isThere(sharp)
  if (!hasSharp && hasBunImage) {
    const detail = 'PNG, JPEG, GIF (its first picture) and WebP by Bun; no AVIF, TIFF, SVG, HEIC and no pages of a PDF'
    return { name: 'images', ok: true, detail, fix: GET_THOSE }
  }
  if (!hasSharp) {
    const detail = 'shown as they are, without a crop and only small ones: sharp cannot be loaded'
    return { name: 'images', ok: false, detail, fix: `Large images and other formats are refused; ${GET_SHARP}.` }
  }
  const lacking = [...(hasHeic ? [] : ['libheif-js']), ...(hasCanvas ? [] : ['@napi-rs/canvas'])]
  const more = [hasHeic ? 'HEIC' : 'no HEIC', hasCanvas ? 'pages of a PDF' : 'no pages of a PDF']
  return {
    name: 'images',
    ok: true,
    detail: `PNG, JPEG, GIF, WebP, AVIF, TIFF, SVG, ${more.join(', ')}`,
    // They are looked for beside the program, and so have to be installed with it.
    ...(lacking.length > 0 && { fix: `npm install -g ${lacking.join(' ')} scorpiox-code && scorpiox-code install` }),
  }
}

async function isThere(load: Load): Promise<boolean> {
  try {
    await load()
    return true
  } catch {
    return false
  }
}
