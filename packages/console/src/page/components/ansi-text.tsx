// Text with the colours and styles that a program printed. Everything is text nodes; styles are set on their elements by
// properties, as the policy of the page demands. Used by the output of a job. Renders only.

import { Component } from 'preact'

import type { TextStyle } from '../../text-style.js'
import { coloursOf } from '../ansi-colours.js'
import { splitAnsi } from '../ansi-spans.js'

interface AnsiTextProps {
  readonly text: string
}

/**
 * Not split again while the text stays the same. Elements that are kept in `useMemo` would keep those of every earlier
 * output in memory, by their references to the parent that they were first rendered in.
 */
export class AnsiText extends Component<AnsiTextProps> {
  override shouldComponentUpdate({ text }: AnsiTextProps): boolean {
    return text !== this.props.text
  }

  override render({ text }: AnsiTextProps) {
    return (
      <span class="block">
        {splitAnsi(text).map(({ text: shown, style }, index) => {
          const name = classOf(style)
          const colours = coloursOf(style)
          if (name === '' && colours.color === undefined) return shown
          return (
            <span key={index} class={name} style={{ ...colours }}>
              {shown}
            </span>
          )
        })}
      </span>
    )
  }
}

function classOf({ isBold, isItalic, isUnderlined, isStruck }: TextStyle): string {
  const names = [
    isBold && 'ansi-bold',
    isItalic && 'ansi-italic',
    isUnderlined && 'ansi-underlined',
    isStruck && 'ansi-struck',
  ]
  return names.filter((name) => name !== false).join(' ')
}
