// Callbacks with their remaining time, and pending messages, which the user can dismiss.

import { useState } from 'preact/hooks'

import type { MessageView } from '../../../services/board/view.js'
import { Moment } from '../parts/moment.js'
import { Project } from '../parts/project.js'
import { Refusal } from '../parts/refusal.js'
import type { Done } from '../server.js'
import { useWords } from '../speech.js'
import { useAct } from '../use-board.js'
import { Foreign } from '../parts/foreign.js'

export function Messages({ messages }: { readonly messages: readonly MessageView[] }) {
  const { say } = useWords()
  return (
    <section aria-labelledby="messages">
      <h2 id="messages">{say('messages')}</h2>
      <p class="quiet">{say('messagesHow')}</p>
      <ul class="cards">
        {messages.map((message) => (
          <Message key={`${message.project} ${message.id}`} message={message} />
        ))}
      </ul>
    </section>
  )
}

function Message({ message }: { readonly message: MessageView }) {
  const { say } = useWords()
  const act = useAct()
  const [done, setDone] = useState<Done>()
  const { project, id } = message
  const dismiss = (): void => {
    void act('dismiss', { project, id }).then(setDone)
  }
  return (
    <li class="card">
      <p>
        <Foreign class="goal" text={message.text} />
      </p>
      <Refusal done={done} />
      <div class="foot">
        <p class="meta">
          <span class="tag">{say(message.kind === 'answer' ? 'messageAnswer' : 'messageCallback')}</span>
          <Project path={project} />
          <Moment at={message.createdAt} />
        </p>
        <button class="button" type="button" onClick={dismiss}>
          {say('dismiss')}
          <span class="unseen"> {id}</span>
        </button>
      </div>
    </li>
  )
}
