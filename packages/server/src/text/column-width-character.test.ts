import { expect, test } from 'vitest'

import { characterWidth } from './column-width.js'

test.each([
  [1, 'a é ß Ж █ ━ ✓ → ⠋ │ ﬁ'],
  [2, '日 本 한 ア ａ 。 👍 🚀 ✅ ⌚ 𠀀'],
  [0, '\u0301 \u200d \ufe0f \u20e3 \u{e0100}'],
])('%i: %s', (columns, characters) => {
  for (const character of characters.split(' ')) {
    expect([character, characterWidth(character.codePointAt(0)!)]).toEqual([character, columns])
    expect(characterWidth(character.codePointAt(0)!)).toBe(columns)
  }
})
