// Callbacks with their remaining time, and pending messages, which the user can dismiss. Shown by console-page. Sends
// actions.

import { useState } from 'preact/hooks'

import type { CallbackView, MessageView } from '../../view.js'
import type { ActionResult } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { ConfirmButton } from '../components/dialog.js'
import { stripControls } from '../components/strip-controls.js'
import { ClientName, ProjectName, RelativeTime, TranslatedText, UntrustedText } from '../components/text.js'
import { ViewFrame } from '../components/view-frame.js'
import { useAction } from '../use-console.js'
import { useNow } from '../use-now.js'
import { useServers } from '../use-servers.js'
import { useTranslator } from '../use-translator.js'

function PendingMessages({ messages }: { readonly messages: readonly MessageView[] }) {
  const { translate } = useTranslator()
  return (
    <section aria-labelledby="messages">
      <h2 id="messages">{translate('messages')}</h2>
      <p class="quiet">{translate('messagesHow')}</p>
      <ul class="cards">
        {messages.map((message) => (
          <Message key={`${message.project} ${message.id}`} message={message} />
        ))}
      </ul>
    </section>
  )
}

function Message({ message }: { readonly message: MessageView }) {
  const { translate } = useTranslator()
  const act = useAction()
  const canAct = useServers().canAct()
  const [isBusy, setBusy] = useState(false)
  const [done, setDone] = useState<ActionResult>()
  const { project, id } = message
  const dismiss = async (): Promise<void> => {
    setBusy(true)
    setDone(await act('dismiss', { project, id }))
    setBusy(false)
  }
  return (
    <li class="card">
      <p>
        <UntrustedText class="goal" text={message.text} />
      </p>
      <ActionError result={done} />
      <div class="foot">
        <p class="meta">
          <span class="tag">{translate(message.kind === 'answer' ? 'messageAnswer' : 'messageCallback')}</span>
          <ProjectName path={project} />
          <ClientName client={message.client} />
          <RelativeTime at={message.createdAt} />
        </p>
        <button class="button" type="button" disabled={isBusy || !canAct} onClick={() => void dismiss()}>
          {translate(isBusy ? 'sending' : 'dismiss')}
          <span class="unseen"> {id}</span>
        </button>
      </div>
    </li>
  )
}

interface CallbacksViewProps {
  readonly callbacks: readonly CallbackView[]
  readonly messages: readonly MessageView[]
}

export function CallbacksView({ callbacks, messages }: CallbacksViewProps) {
  const sorted = [...callbacks].sort((a, b) => (a.fireAt ?? Infinity) - (b.fireAt ?? Infinity))
  return (
    <ViewFrame
      view="callbacks"
      summary={{ phrase: 'callbacksSet', n: callbacks.length }}
      empty={{ phrase: 'callbacksNone', how: 'callbacksHow', tool: 'SetCallback' }}
      isEmpty={callbacks.length === 0 && messages.length === 0}
    >
      <ul class="cards">
        {sorted.map((callback) => (
          <Callback key={`${callback.project} ${callback.session} ${callback.slot}`} callback={callback} />
        ))}
      </ul>
      {messages.length > 0 && <PendingMessages messages={messages} />}
    </ViewFrame>
  )
}

function Callback({ callback }: { readonly callback: CallbackView }) {
  const { translate } = useTranslator()
  const act = useAction()
  const { project, session, slot } = callback
  const message = (
    <p>
      <UntrustedText class="goal" text={callback.message} />
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
          <span>{translate('slot', { slot: `${slot}` })}</span>
          <ProjectName path={project} />
          <ClientName client={callback.client} />
          <Repeats callback={callback} />
        </p>
        <ConfirmButton
          label="cancel"
          title="cancelAsk"
          warning="cancelMeans"
          cancelLabel="keep"
          subject={translate('slot', { slot: `${slot}` })}
          details={message}
          act={() => act('cancel', { project, session, slot })}
        />
      </div>
    </li>
  )
}

function Countdown({ at }: { readonly at: number }) {
  const { translate, formatDuration, formatDateTime } = useTranslator()
  // Rounded up, so that it never shows less than the remaining time.
  const seconds = Math.ceil((at - useNow()) / 1000)
  return (
    <h2 class="countdown" title={formatDateTime(at)}>
      <span role="timer">
        {seconds > 0 ? translate('firesIn', { time: formatDuration(seconds * 1000) }) : translate('due')}
      </span>
    </h2>
  )
}

function OnEvent({ callback: { job, pattern } }: { readonly callback: CallbackView }) {
  const places = { job: <bdi dir="ltr">{job}</bdi>, pattern: <code dir="ltr">{stripControls(pattern ?? '')}</code> }
  return (
    <h2 class="countdown">
      <TranslatedText textKey={pattern === null ? 'whenEnds' : 'whenPrints'} values={places} />
    </h2>
  )
}

function Repeats({ callback: { everyMs, repeatsLeft, fireAt } }: { readonly callback: CallbackView }) {
  const { translate, formatDuration } = useTranslator()
  const isRepeated = repeatsLeft === -1 || repeatsLeft > 1
  return (
    <>
      {isRepeated && fireAt !== null && everyMs > 0 && (
        <span>{translate('every', { time: formatDuration(everyMs) })}</span>
      )}
      <span>{repeatsLeft === -1 ? translate('forEver') : translate('timesLeft', { n: Math.max(1, repeatsLeft) })}</span>
    </>
  )
}
