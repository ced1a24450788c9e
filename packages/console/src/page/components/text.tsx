// Text components: untrusted text, translated text with elements, relative times, names of projects and clients. Used by
// the views, the login and the alerts. Renders only.

import type { ComponentChildren } from 'preact'

import type { TranslationKey } from '../../i18n/translator.js'
import { useNow } from '../use-now.js'
import { useTranslator } from '../use-translator.js'
import { stripControls } from './strip-controls.js'

interface UntrustedTextProps {
  readonly text: string
  readonly class?: string
  /** Messages of the server are English. */
  readonly lang?: string
}

/** Text from a model, a program or a user, isolated with its own writing direction. */
export function UntrustedText({ text, ...rest }: UntrustedTextProps) {
  const { directionOf } = useTranslator()
  return (
    <span dir={directionOf(text)} {...rest}>
      {stripControls(text)}
    </span>
  )
}

interface TranslatedTextProps {
  readonly textKey: TranslationKey
  readonly n?: number
  readonly values?: Readonly<Record<string, ComponentChildren>>
}

/** Its placeholders are filled with elements, such as a command or a path. */
export function TranslatedText({ textKey, n, values = {} }: TranslatedTextProps) {
  const { splitText } = useTranslator()
  return <>{splitText(textKey, n).map((piece, index) => (index % 2 === 0 ? piece : values[piece]))}</>
}

/** With the date as tooltip. */
export function RelativeTime({ at, phrase }: { readonly at: number; readonly phrase?: TranslationKey }) {
  const { formatTimeAgo, formatDateTime, translate } = useTranslator()
  const when = formatTimeAgo(at, useNow(10_000))
  return (
    <time dateTime={toIsoString(at)} title={formatDateTime(at)}>
      {phrase === undefined ? when : translate(phrase, { when })}
    </time>
  )
}

function toIsoString(at: number): string {
  return Number.isFinite(at) && Math.abs(at) < 8.64e15 ? new Date(at).toISOString() : ''
}

/** With the full path as tooltip. */
export function ProjectName({ path }: { readonly path: string }) {
  return (
    <span class="project" title={path}>
      <bdi dir="ltr">{projectNameOf(path)}</bdi>
    </span>
  )
}

/** Name and version of the client that something comes from; nothing if it is not known. */
export function ClientName({ client = '' }: { readonly client?: string | undefined }) {
  const { translate } = useTranslator()
  if (client === '') return null
  return (
    <span class="client" title={translate('callClient')}>
      <span class="unseen">{translate('callClient')}: </span>
      <UntrustedText text={client} />
    </span>
  )
}

export function projectNameOf(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== '') ?? path
}
