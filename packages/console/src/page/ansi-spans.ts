// Splits text with SGR sequences into runs of one style, for ansi-text.tsx. All other control characters are dropped.
// Pure.

import { splitStyles, type StyledText } from '../text-style.js'
import { stripControls } from './components/strip-controls.js'

export function splitAnsi(text: string): readonly StyledText[] {
  return splitStyles(text, stripControls)
}
