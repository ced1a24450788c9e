// A question of a running command for a password: which command asks, its prompt, and a masked field. What is entered
// is in the field and the request only, never in the state of the page. Shown by Home. Sends actions.

import { useId, useRef, useState } from 'preact/hooks'

import { secretKey } from '../../asked-items.js'
import type { SecretView } from '../../view.js'
import type { ActionResult } from '../api.js'
import { ActionError } from '../components/alerts.js'
import { stripControls } from '../components/strip-controls.js'
import { ClientName, ProjectName, RelativeTime, UntrustedText } from '../components/text.js'
import { findFocusedCard, type SettledHandler } from '../components/view-frame.js'
import { markSettledHere, useAction } from '../use-console.js'
import { useServers } from '../use-servers.js'
import { useTranslator } from '../use-translator.js'

/** The server accepts no longer text. */
const MAX_ENTERED = 20_000

interface SecretCardProps {
  readonly secret: SecretView
  readonly onSettled: SettledHandler
}

export function SecretCard({ secret, onSettled }: SecretCardProps) {
  const { translate } = useTranslator()
  return (
    <>
      <div class="about">
        <p class="meta">
          <ProjectName path={secret.project} />
          <ClientName client={secret.client} />
          <RelativeTime at={secret.askedAt} phrase="asked" />
        </p>
        <p class="state urgent">
          <span class="lamp" aria-hidden="true" />
          {translate('secretWaits')}
        </p>
      </div>
      <div>
        <h2>{translate(secret.isSecret ? 'secretAsk' : 'inputAsk')}</h2>
        <pre class="command" dir="ltr">
          {stripControls(secret.command)}
        </pre>
      </div>
      <SecretForm secret={secret} onSettled={onSettled} />
    </>
  )
}

function SecretForm({ secret, onSettled }: SecretCardProps) {
  const { translate } = useTranslator()
  const act = useAction()
  const canAct = useServers().canAct(secret.server)
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const attributes = {
    id,
    class: 'field',
    dir: 'ltr',
    autocomplete: 'off',
    spellcheck: false,
    maxLength: MAX_ENTERED,
    'aria-describedby': `${id}hint`,
  } as const
  const [isBusy, setBusy] = useState(false)
  const [done, setDone] = useState<ActionResult>()

  const send = async (value: string | null): Promise<void> => {
    const card = findFocusedCard()
    setBusy(true)
    const unmark = markSettledHere(secretKey(secret))
    const outcome = await act('secret', { server: secret.server, id: secret.id, value })
    setDone(outcome)
    // A card whose value was sent takes no other one until it goes away.
    if (!outcome.ok) {
      setBusy(false)
      return unmark()
    }
    if (field.current) field.current.value = ''
    onSettled(translate(value === null ? 'secretRefused' : 'secretSent'), card)
  }

  const submit = (event: Event): void => {
    event.preventDefault()
    void send(field.current?.value ?? '')
  }

  return (
    <form class="asking" onSubmit={submit} autocomplete="off">
      <label for={id}>
        <UntrustedText class="text" text={secret.prompt} />
      </label>
      {secret.isSecret ? (
        <input {...attributes} ref={field} type="password" />
      ) : (
        <input {...attributes} ref={field} type="text" />
      )}
      <p id={`${id}hint`} class="quiet hint">
        {translate(secret.isSecret ? 'secretMeans' : 'inputMeans')}
      </p>
      <ActionError result={done} />
      <div class="actions">
        <button class="button main" type="submit" disabled={isBusy || !canAct}>
          {translate(isBusy ? 'sending' : 'secretSend')}
        </button>
        <button class="button" type="button" disabled={isBusy || !canAct} onClick={() => void send(null)}>
          {translate('decline')}
        </button>
      </div>
    </form>
  )
}
