// What code that is itself loaded on demand may use of the feature `images`. Imported by `doctor`
// (diagnose-environment). Re-exports only.

export { SHARP_INSTALL_HINT } from './missing-decoder.js'
export { findBunImage } from './worker/bun-image.js'
