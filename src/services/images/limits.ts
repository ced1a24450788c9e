// How much an image may ask of us, and how much a model is given.

export const MAX_FILE_BYTES = 64 * 1024 * 1024

/** What models see at most; anything larger they are given smaller. */
export const LONG_EDGE = 1568

/** Of an encoded image; a third more as base64. */
export const MAX_SHOWN_BYTES = 750_000

/** Decoded line by line. */
export const MAX_PIXELS = 256_000_000

/** Decoded as a whole, which takes memory for each pixel. */
export const MAX_PIXELS_AT_ONCE = 64_000_000

/** What one image may take, and hold; the process that goes beyond is ended. */
export const MAX_MS = 20_000
export const MAX_RESIDENT_BYTES = 768 * 1024 * 1024
