// Shows a plan in Markdown: headings, lists, checklists and code. Links and images are text. Used by the approval card.
// Renders only.

import { useTranslator } from '../use-translator.js'
import { Icon } from './icon.js'
import { type MarkdownBlock, parseMarkdownBlocks, splitInline } from './markdown-blocks.js'
import { stripControls } from './strip-controls.js'

/** A longer text is shown as it is: thousands of elements would make the page slow. */
const MAX_FORMATTED = 100_000

/** Scrollable, so it is focusable. */
export function Markdown({ text, label }: { readonly text: string; readonly label: string }) {
  const shown = stripControls(text)
  if (shown.length > MAX_FORMATTED)
    return (
      <pre class="prose" tabIndex={0} role="group" aria-label={label}>
        {shown}
      </pre>
    )
  return (
    <div class="markdown" tabIndex={0} role="group" aria-label={label}>
      {parseMarkdownBlocks(shown).map((block, index) => (
        <Block key={index} block={block} />
      ))}
    </div>
  )
}

function Block({ block }: { readonly block: MarkdownBlock }) {
  const { directionOf } = useTranslator()
  const dir = directionOf(block.text)
  if (block.kind === 'item') return <Item item={block} />
  if (block.kind === 'code')
    return (
      <pre dir="ltr">
        {block.info !== '' && <span class="quiet">{`${block.info}\n`}</span>}
        {block.text}
      </pre>
    )
  const style = block.kind === 'text' ? '' : block.level === 1 ? 'title first' : 'title'
  return (
    <p class={style} dir={dir}>
      <Inline text={block.text} />
    </p>
  )
}

function Item({ item }: { readonly item: Extract<MarkdownBlock, { readonly kind: 'item' }> }) {
  const { directionOf, translate } = useTranslator()
  const { depth, marker, isDone, text } = item
  return (
    <p class={`item depth${depth}${isDone === true ? ' done' : ''}`}>
      {isDone === undefined ? (
        <span>{marker}</span>
      ) : (
        <>
          <span class="box" aria-hidden="true">
            {isDone && <Icon of="check" />}
          </span>
          <span class="unseen">{translate(isDone ? 'done' : 'toDo')}: </span>
        </>
      )}
      <span class="text" dir={directionOf(text)}>
        <Inline text={text} />
      </span>
    </p>
  )
}

function Inline({ text }: { readonly text: string }) {
  return (
    <>
      {splitInline(text).map((part, index) => {
        if (index % 2 === 0) return part
        return part.startsWith('`') ? (
          <code key={index}>{part.slice(1, -1)}</code>
        ) : (
          <strong key={index}>{part.slice(2, -2)}</strong>
        )
      })}
    </>
  )
}
