// Untrusted text from a model, a program or a user, isolated with its own writing direction.

import { useWords } from '../speech.js'
import { harmless } from './harmless.js'

interface UntrustedTextProps {
  readonly text: string
  readonly class?: string
  /** Messages of the server are English. */
  readonly lang?: string
}

export function Foreign({ text, ...rest }: UntrustedTextProps) {
  const { directionOf } = useWords()
  return (
    <span dir={directionOf(text)} {...rest}>
      {harmless(text)}
    </span>
  )
}
