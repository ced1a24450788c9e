// Text that others wrote: the model, a program, a person. It keeps its own direction whatever stands around it.

import { useWords } from '../speech.js'
import { harmless } from './harmless.js'

interface Props {
  readonly text: string
  readonly class?: string
  /** The server's own sentences are English. */
  readonly lang?: string
}

export function Foreign({ text, ...rest }: Props) {
  const { directionOf } = useWords()
  return (
    <span dir={directionOf(text)} {...rest}>
      {harmless(text)}
    </span>
  )
}
