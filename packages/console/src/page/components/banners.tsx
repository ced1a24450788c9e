// Banners above the view: a connection that is lost, and servers that have exited. They say what is gone, since when, what
// that means, and what to do. Used by console-page. Renders only.

import { useState } from 'preact/hooks'

import type { TranslationKey } from '../../i18n/translator.js'
import type { ServerView } from '../../view.js'
import { isLocalPage, type LoginKind } from '../api.js'
import type { LossCause } from '../event-connection.js'
import type { LostConnection } from '../use-console.js'
import { useNow } from '../use-now.js'
import { useTranslator } from '../use-translator.js'
import { Icon } from './icon.js'
import { ProjectName, RelativeTime, TranslatedText } from './text.js'

interface ConnectionBannerProps {
  readonly lost: LostConnection
  readonly kind: LoginKind | undefined
  readonly retry: () => void
}

export function ConnectionBanner({ lost, kind, retry }: ConnectionBannerProps) {
  const { translate } = useTranslator()
  return (
    <section class="card banner lost" aria-labelledby="lost">
      <Icon of="offline" tone="bad" />
      <div class="parts">
        <p>
          <strong id="lost">{translate('lost')}</strong> <RelativeTime at={lost.since} phrase="lostSince" />
        </p>
        <p>
          <LossReason lost={lost} kind={kind} />
        </p>
        <p class="quiet">{translate('lostMeans')}</p>
        <p class="foot">
          <NextTry at={lost.retryAt} />
          <button class="button small" type="button" onClick={retry}>
            {translate('tryNow')}
          </button>
        </p>
      </div>
    </section>
  )
}

/** What is gone: the program or the network, as far as a browser can tell. */
export function LossReason({ lost, kind }: Pick<ConnectionBannerProps, 'kind'> & { readonly lost: Loss }) {
  const command = <code dir="ltr">scorpiox-code ui</code>
  const { formatNumber } = useTranslator()
  return <TranslatedText textKey={reasonOf(lost, kind)} values={{ command, status: formatNumber(lost.status) }} />
}

type Loss = Pick<LostConnection, 'cause' | 'status'>

const REASONS: Readonly<Record<LossCause, TranslationKey>> = {
  ended: 'lostEnded',
  unreachable: 'unreachable',
  silent: 'lostSilent',
  refused: 'refused',
}

function reasonOf({ cause }: Loss, kind: LoginKind | undefined): TranslationKey {
  const isLocal = isLocalPage()
  if (cause === 'unreachable' && !navigator.onLine && !isLocal) return 'lostOffline'
  // There is no network between this page and a program of the same machine.
  const hasExited = cause === 'ended' || (cause === 'unreachable' && isLocal)
  if (hasExited) return kind === 'ui' ? 'lostUiEnded' : 'lostEnded'
  return REASONS[cause]
}

export function NextTry({ at }: { readonly at: number | undefined }) {
  const { translate, formatDuration } = useTranslator()
  useNow()
  if (at === undefined) return <span class="quiet">{translate('connecting')}</span>
  // The retry time uses the clock of the browser.
  const remainingMs = Math.max(1, Math.ceil((at - Date.now()) / 1000)) * 1000
  return <span class="quiet">{translate('nextTry', { time: formatDuration(remainingMs) })}</span>
}

/** Servers that have exited, until the user has seen it. Their jobs and calls are shown as they were. */
export function GoneServersBanner({ servers }: { readonly servers: readonly ServerView[] }) {
  const { translate } = useTranslator()
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const gone = servers.filter(({ id, isGone }) => isGone && !seen.has(id))
  if (gone.length === 0) return null
  return (
    <section class="card banner gone" aria-label={translate('serverGone')}>
      <Icon of="offline" tone="busy" />
      <div class="parts" role="status">
        <p>
          <strong>{translate('serversGone', { n: gone.length })}</strong>
        </p>
        <ul>
          {gone.slice(0, MAX_LISTED).map((server) => (
            <li key={server.id}>
              <ProjectName path={server.project} /> · {translate('process', { pid: `${server.pid}` })} ·{' '}
              {server.goneAt !== null && <RelativeTime at={server.goneAt} phrase="serverGoneAt" />}
            </li>
          ))}
        </ul>
        <p class="quiet">{translate('serversGoneMeans')}</p>
      </div>
      <button
        class="button plain"
        type="button"
        onClick={() => setSeen(new Set(servers.filter(({ isGone }) => isGone).map(({ id }) => id)))}
      >
        <Icon of="cross" />
        <span class="unseen">{translate('close')}</span>
      </button>
    </section>
  )
}

const MAX_LISTED = 3
