// Running servers, and which of their tools work.

import { useId } from 'preact/hooks'

import type { ServerView, ToolView } from '../../../services/board/view.js'
import type { Key } from '../../../services/board/languages/phrase.js'
import { Icon } from '../parts/icon.js'
import { Moment } from '../parts/moment.js'
import { nameOf } from '../parts/project.js'
import { ViewFrame } from '../parts/view-frame.js'
import { useWords } from '../speech.js'
import { Foreign } from '../parts/foreign.js'

interface ToolsViewProps {
  readonly servers: readonly ServerView[]
}

export function ToolsView({ servers }: ToolsViewProps) {
  return (
    <ViewFrame
      route="tools"
      summary={{ phrase: 'serversRunning', n: servers.length }}
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
  const { say } = useWords()
  const id = useId()
  const working = server.tools.filter(({ works }) => works).length
  return (
    <li class="card" aria-labelledby={id}>
      <div class="title">
        <h2 id={id}>
          <bdi dir="ltr">{nameOf(server.project)}</bdi>
        </h2>
        <span class="tag" dir="ltr">
          {server.transport}
        </span>
      </div>
      <p class="path quiet">
        <bdi dir="ltr">{server.project}</bdi>
      </p>
      <p class="meta">
        <span>{say('process', { pid: `${server.pid}` })}</span>
        <Moment at={server.startedAt} phrase="since" />
        <span>
          <bdi dir="ltr">{server.version}</bdi>
        </span>
        <span>{say('toolsWork', { works: working, n: server.tools.length })}</span>
      </p>
      <ul class="tools">
        {[...server.tools.filter(worksFully), ...server.tools.filter((tool) => !worksFully(tool))].map((tool) => (
          <Tool key={tool.name} tool={tool} />
        ))}
      </ul>
    </li>
  )
}

/** The others get a line of their own, below. */
function worksFully({ works, note }: ToolView): boolean {
  return works && note === null
}

function Tool({ tool }: { readonly tool: ToolView }) {
  const { say } = useWords()
  const { phrase, tone } = toolState(tool)
  return (
    <li class={tool.note === null ? tone : `${tone} noted`}>
      <Icon of={tool.works ? 'check' : 'cross'} tone={tone} />
      <span class="unseen">{say(phrase)}: </span>
      <span class="name" dir="ltr">
        {tool.name}
      </span>
      {tool.note !== null && <Foreign class="quiet" lang="en" text={tool.note} />}
    </li>
  )
}

function toolState({ works, note }: ToolView): { readonly phrase: Key; readonly tone: string } {
  if (!works) return { phrase: 'worksNot', tone: 'bad' }
  return note === null ? { phrase: 'works', tone: 'good' } : { phrase: 'worksPartly', tone: 'busy' }
}
