// A translated text whose placeholders are filled with elements, such as a command or a path.

import type { ComponentChildren } from 'preact'

import type { Key } from '../../../services/board/languages/phrase.js'
import { useWords } from '../speech.js'

interface TranslatedTextProps {
  readonly phrase: Key
  readonly n?: number
  readonly places?: Readonly<Record<string, ComponentChildren>>
}

export function Said({ phrase, n, places = {} }: TranslatedTextProps) {
  const { pieces } = useWords()
  return <>{pieces(phrase, n).map((piece, index) => (index % 2 === 0 ? piece : places[piece]))}</>
}
