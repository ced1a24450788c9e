// Shows a plan in Markdown: headings, lists, checklists, tables, quotes, code and links with their address. HTML and
// images are text. Used by the approval card and the plans view. Renders only.

import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'

import { useTranslator } from '../use-translator.js'
import { Icon } from './icon.js'
import { type MarkdownBlock, type MarkdownItem, parseMarkdownBlocks } from './markdown-blocks.js'
import { type MarkdownSpan, parseMarkdownSpans } from './markdown-inline.js'
import { stripControls } from './strip-controls.js'

/** A longer text is shown as it is: thousands of elements would make the page slow. */
const MAX_FORMATTED = 100_000
const MAX_FORMATTED_LINES = 5000

/** Scrollable, so it is focusable. */
export function Markdown({ text, label }: { readonly text: string; readonly label: string }) {
  const blocks = useMemo(() => {
    const shown = stripControls(text)
    return isTooLong(shown) ? shown : parseMarkdownBlocks(shown)
  }, [text])
  if (typeof blocks === 'string')
    return (
      <pre class="prose" tabIndex={0} role="group" aria-label={label}>
        {blocks}
      </pre>
    )
  return (
    <div class="markdown" tabIndex={0} role="group" aria-label={label}>
      <Blocks blocks={blocks} />
    </div>
  )
}

function isTooLong(text: string): boolean {
  return text.length > MAX_FORMATTED || text.split('\n', MAX_FORMATTED_LINES + 1).length > MAX_FORMATTED_LINES
}

function Blocks({ blocks }: { readonly blocks: readonly MarkdownBlock[] }) {
  return (
    <>
      {blocks.map((block, index) => (
        <Block key={index} block={block} />
      ))}
    </>
  )
}

function Block({ block }: { readonly block: MarkdownBlock }) {
  const { directionOf } = useTranslator()
  if (block.kind === 'heading') return <Heading block={block} />
  if (block.kind === 'list') return <List block={block} />
  if (block.kind === 'table') return <Table block={block} />
  if (block.kind === 'rule') return <hr />
  if (block.kind === 'quote')
    return (
      <blockquote>
        <Blocks blocks={block.blocks} />
      </blockquote>
    )
  if (block.kind === 'code')
    return (
      <pre dir="ltr">
        {block.info !== '' && <span class="quiet">{`${block.info}\n`}</span>}
        {block.text}
      </pre>
    )
  return (
    <p dir={directionOf(block.text)}>
      <Line text={block.text} />
    </p>
  )
}

/** Below the heading of the card; the outline has no gaps, as screen readers expect. */
const HEADINGS = ['h3', 'h4', 'h5', 'h6'] as const

function Heading({ block }: { readonly block: Extract<MarkdownBlock, { readonly kind: 'heading' }> }) {
  const { directionOf } = useTranslator()
  const Name = HEADINGS[block.outline - 1] ?? 'h6'
  return (
    <Name class={`level${Math.min(3, block.level)}`} dir={directionOf(block.text)}>
      <Line text={block.text} />
    </Name>
  )
}

function List({ block: { isOrdered, items } }: { readonly block: Extract<MarkdownBlock, { readonly kind: 'list' }> }) {
  const Name = isOrdered ? 'ol' : 'ul'
  return (
    <Name role="list">
      {items.map((item, index) => (
        <Item key={index} item={item} />
      ))}
    </Name>
  )
}

function Item({ item: { marker, isDone, blocks } }: { readonly item: MarkdownItem }) {
  const { translate } = useTranslator()
  return (
    <li class={isDone === true ? 'done' : ''} dir={directionOfItem(blocks)}>
      {isDone === undefined ? (
        <span class="marker">{marker}</span>
      ) : (
        <>
          <span class="box" aria-hidden="true">
            {isDone && <Icon of="check" />}
          </span>
          <span class="unseen">{translate(isDone ? 'done' : 'toDo')}: </span>
        </>
      )}
      <div class="content">
        <Blocks blocks={blocks} />
      </div>
    </li>
  )
}

/** Its marker is on the side where its text begins. */
function directionOfItem(blocks: readonly MarkdownBlock[]): 'ltr' | 'rtl' | undefined {
  const text = blocks.find((block) => block.kind === 'text')?.text ?? ''
  const first = /\p{L}/u.exec(text)?.[0]
  if (first === undefined) return undefined
  return /[\u0590-\u08ff]/.test(first) ? 'rtl' : 'ltr'
}

function Table({ block: { header, rows } }: { readonly block: Extract<MarkdownBlock, { readonly kind: 'table' }> }) {
  return (
    <div class="table">
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index} scope="col">
                <Line text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, index) => (
                <td key={index}>
                  <Line text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Line({ text }: { readonly text: string }) {
  return <Spans spans={parseMarkdownSpans(text)} />
}

function Spans({ spans }: { readonly spans: readonly MarkdownSpan[] }) {
  return (
    <>
      {spans.map((span, index) => (
        <Span key={index} span={span} />
      ))}
    </>
  )
}

function Span({ span }: { readonly span: MarkdownSpan }) {
  if (span.kind === 'text') return <>{span.text}</>
  if (span.kind === 'code') return <code>{span.text}</code>
  const inner = <Spans spans={span.spans} />
  if (span.kind === 'bold') return <strong>{inner}</strong>
  if (span.kind === 'italic') return <em>{inner}</em>
  if (span.kind === 'struck') return <s>{inner}</s>
  return <Link span={span}>{inner}</Link>
}

interface LinkProps {
  readonly span: Extract<MarkdownSpan, { readonly kind: 'link' }>
  readonly children: ComponentChildren
}

function Link({ span: { href, showsHref }, children }: LinkProps) {
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer">
        {children}
      </a>
      {showsHref && (
        <>
          {' ('}
          <bdi class="quiet" dir="ltr">
            {href}
          </bdi>
          {')'}
        </>
      )}
    </>
  )
}
