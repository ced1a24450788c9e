// Running servers, their clients, and which of their tools work. Shown by console-page. Renders only.

import { useId } from 'preact/hooks'

import type { TranslationKey } from '../../i18n/translator.js'
import type { ServerClientView, ServerView, ToolView } from '../../view.js'
import { Icon } from '../components/icon.js'
import { projectNameOf, RelativeTime, UntrustedText } from '../components/text.js'
import { ViewFrame } from '../components/view-frame.js'
import { routeHref } from '../route.js'
import { useTranslator } from '../use-translator.js'

interface ToolsViewProps {
  readonly servers: readonly ServerView[]
}

export function ToolsView({ servers }: ToolsViewProps) {
  return (
    <ViewFrame
      view="tools"
      summary={{ phrase: 'serversRunning', n: servers.filter(({ isGone }) => !isGone).length }}
      empty={{ phrase: 'serversNone', how: 'serversHow' }}
      isEmpty={servers.length === 0}
    >
      <ul class="cards">
        {servers.map((server) => (
          <Server key={server.id} server={server} />
        ))}
      </ul>
    </ViewFrame>
  )
}

function Server({ server }: { readonly server: ServerView }) {
  const { translate } = useTranslator()
  const id = useId()
  const working = server.tools.filter(({ works }) => works).length
  return (
    <li class={server.isGone ? 'card stale' : 'card'} aria-labelledby={id}>
      <div class="title">
        <h2 id={id}>
          <bdi dir="ltr">{projectNameOf(server.project)}</bdi>
        </h2>
        {server.isGone && <span class="tag gone">{translate('serverGone')}</span>}
        <span class="tag" dir="ltr">
          {server.transport}
        </span>
      </div>
      <p class="path quiet">
        <bdi dir="ltr">{server.project}</bdi>
      </p>
      <p class="meta">
        <span>{translate('process', { pid: `${server.pid}` })}</span>
        <RelativeTime at={server.startedAt} phrase="since" />
        {server.goneAt !== null && <RelativeTime at={server.goneAt} phrase="serverGoneAt" />}
        <span>
          <bdi dir="ltr">{server.version}</bdi>
        </span>
        <span>{translate('toolsWork', { works: working, n: server.tools.length })}</span>
      </p>
      {server.clients !== undefined && server.clients.length > 0 && <Clients clients={server.clients} />}
      <ul class="tools">
        {[...server.tools.filter(worksFully), ...server.tools.filter((tool) => !worksFully(tool))].map((tool) => (
          <Tool key={tool.name} tool={tool} />
        ))}
      </ul>
    </li>
  )
}

/** Each leads to what has happened in its session. */
function Clients({ clients }: { readonly clients: readonly ServerClientView[] }) {
  const { translate } = useTranslator()
  const id = useId()
  return (
    <div class="server-clients">
      <h3 id={id}>{translate('serverClients')}</h3>
      <ul aria-labelledby={id}>
        {clients.map(({ session, client, lastCallAt }) => (
          <li key={`${session} ${client}`}>
            <a href={routeHref('calls', 'session', session)}>
              <UntrustedText text={client} />
            </a>
            <span class="quiet">
              <RelativeTime at={lastCallAt} phrase="clientLastCall" />
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The others get a line of their own, below. */
function worksFully({ works, note }: ToolView): boolean {
  return works && note === null
}

function Tool({ tool }: { readonly tool: ToolView }) {
  const { translate } = useTranslator()
  const { phrase, tone } = toolState(tool)
  return (
    <li class={tool.note === null ? tone : `${tone} noted`}>
      <Icon of={tool.works ? 'check' : 'cross'} tone={tone} />
      <span class="unseen">{translate(phrase)}: </span>
      <span class="name" dir="ltr">
        {tool.name}
      </span>
      {tool.note !== null && <UntrustedText class="quiet" lang="en" text={tool.note} />}
    </li>
  )
}

function toolState({ works, note }: ToolView): { readonly phrase: TranslationKey; readonly tone: string } {
  if (!works) return { phrase: 'worksNot', tone: 'bad' }
  return note === null ? { phrase: 'works', tone: 'good' } : { phrase: 'worksPartly', tone: 'busy' }
}
