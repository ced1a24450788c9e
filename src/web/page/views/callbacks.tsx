import type { CallbackView, MessageView } from '../../../services/board/view.js'
import { ConfirmedButton } from '../parts/confirmed-button.js'
import { Project } from '../parts/project.js'
import { Said } from '../parts/said.js'
import { ViewFrame } from '../parts/view-frame.js'
import { useWords } from '../speech.js'
import { useNow } from '../ticking.js'
import { useAct } from '../use-board.js'
import { Messages } from './messages.js'
import { Foreign } from '../parts/foreign.js'

interface CallbacksViewProps {
  readonly callbacks: readonly CallbackView[]
  readonly messages: readonly MessageView[]
}

export function CallbacksView({ callbacks, messages }: CallbacksViewProps) {
  const sorted = [...callbacks].sort((a, b) => (a.fireAt ?? Infinity) - (b.fireAt ?? Infinity))
  return (
    <ViewFrame
      route="callbacks"
      summary={{ phrase: 'callbacksSet', n: callbacks.length }}
      empty={{ phrase: 'callbacksNone', how: 'callbacksHow', tool: 'SetCallback' }}
      isEmpty={callbacks.length === 0 && messages.length === 0}
    >
      <ul class="cards">
        {sorted.map((callback) => (
          <Callback key={`${callback.project} ${callback.session} ${callback.slot}`} callback={callback} />
        ))}
      </ul>
      {messages.length > 0 && <Messages messages={messages} />}
    </ViewFrame>
  )
}

function Callback({ callback }: { readonly callback: CallbackView }) {
  const { say } = useWords()
  const act = useAct()
  const { project, session, slot } = callback
  const message = (
    <p>
      <Foreign class="goal" text={callback.message} />
    </p>
  )
  return (
    <li class="card callback">
      <div class="title">
        {callback.fireAt === null ? <OnEvent callback={callback} /> : <Countdown at={callback.fireAt} />}
      </div>
      {message}
      <div class="foot">
        <p class="meta">
          <span>{say('slot', { slot })}</span>
          <Project path={project} />
          <Repeats callback={callback} />
        </p>
        <ConfirmedButton
          name="cancel"
          ask="cancelAsk"
          means="cancelMeans"
          keep="keep"
          subject={say('slot', { slot })}
          shown={message}
          act={() => act('cancel', { project, session, slot })}
        />
      </div>
    </li>
  )
}

function Countdown({ at }: { readonly at: number }) {
  const { say, duration, moment } = useWords()
  // Rounded up, so that it never shows less than the remaining time.
  const seconds = Math.ceil((at - useNow()) / 1000)
  return (
    <h2 class="countdown" title={moment(at)}>
      <span role="timer">{seconds > 0 ? say('firesIn', { time: duration(seconds * 1000) }) : say('due')}</span>
    </h2>
  )
}

function OnEvent({ callback: { job, pattern } }: { readonly callback: CallbackView }) {
  const places = { job: <bdi dir="ltr">#{job}</bdi>, pattern: <code dir="ltr">{pattern}</code> }
  return (
    <h2 class="countdown">
      <Said phrase={pattern === null ? 'whenEnds' : 'whenPrints'} places={places} />
    </h2>
  )
}

function Repeats({ callback: { everyMs, repeatsLeft, fireAt } }: { readonly callback: CallbackView }) {
  const { say, duration } = useWords()
  const isRepeated = repeatsLeft === -1 || repeatsLeft > 1
  return (
    <>
      {isRepeated && fireAt !== null && everyMs > 0 && <span>{say('every', { time: duration(everyMs) })}</span>}
      <span>{repeatsLeft === -1 ? say('forEver') : say('timesLeft', { n: Math.max(1, repeatsLeft) })}</span>
    </>
  )
}
