// Stories of the components that the views share, and of what is shown without a view: login, loading, dialogs.

import type { ComponentChildren } from 'preact'

import { ActionError, ProblemList, ToastList } from '../components/alerts.js'
import { ConnectionBanner } from '../components/banners.js'
import { ConnectionIndicator, LoadingScreen } from '../components/connection.js'
import { ConfirmButton, Dialog } from '../components/dialog.js'
import { Markdown } from '../components/markdown.js'
import { OutputBox } from '../components/output-box.js'
import { SplitView } from '../components/split-view.js'
import { ProjectName, RelativeTime, UntrustedText } from '../components/text.js'
import { VirtualList } from '../components/virtual-list.js'
import { Login, type LogoutReason } from '../login.js'
import { MIXED_TEXT } from './data/extreme-view.js'
import { HOUR, SHOP, TEST_RUN } from './data/sample-view.js'
import { TEXTS } from './data/texts.js'
import { click, type Story } from './story.js'
import { answerJson } from './story-answers.js'

const ignore = (): void => undefined

const LOST = { state: 'lost', retryAt: 8_000_000_000_000, status: 0, cause: 'unreachable' } as const

export const COMPONENT_STORIES: readonly Story[] = [
  login('login', undefined, 'ui'),
  login('login-wrong-token', 'wrong', 'server'),
  login('login-link-expired', 'link', 'key'),
  story('loading', () => (
    <LoadingScreen connection={{ state: 'connecting' }} kind="ui" retry={ignore} logOut={ignore} />
  )),
  story('loading-unreachable', () => <LoadingScreen connection={LOST} kind="ui" retry={ignore} logOut={ignore} />),
  story('connection', () => (
    <Sheet title="Connection">
      <ConnectionIndicator connection={{ state: 'live' }} />
      <ConnectionIndicator connection={{ state: 'connecting' }} />
      <ConnectionIndicator connection={LOST} />
    </Sheet>
  )),
  ...(['ended', 'silent', 'refused'] as const).map((cause) =>
    story(`connection-${cause}`, ({ now }) => (
      <Sheet title="Connection">
        <ConnectionBanner
          lost={{ cause, status: 502, since: now - HOUR, retryAt: undefined }}
          kind="ui"
          retry={ignore}
        />
      </Sheet>
    )),
  ),
  story('alerts', ({ language }) => (
    <Sheet title="Alerts">
      <ToastList toasts={[TEXTS[language].answered, MIXED_TEXT].map((text, id) => ({ id, text }))} close={ignore} />
      <ProblemList problems={['The database is locked by another process.', MIXED_TEXT]} />
      <ActionError result={{ ok: false, status: 409, message: 'The job has already ended.' }} />
      <ActionError result={{ ok: false, status: 0, message: null }} />
    </Sheet>
  )),
  story('text', ({ language, now }) => (
    <Sheet title="Text">
      <p class="meta">
        <ProjectName path={SHOP} />
        <ProjectName path={MIXED_TEXT} />
        <RelativeTime at={now - HOUR} phrase="asked" />
      </p>
      <p>
        <UntrustedText text={TEXTS[language].rename.text} />
      </p>
      <p>
        <UntrustedText text={MIXED_TEXT} />
      </p>
    </Sheet>
  )),
  story('markdown', ({ language }) => (
    <Sheet title="Markdown">
      <h2>Plan</h2>
      <Markdown
        label="Plan"
        text={`# ${TEXTS[language].goal}\n\n${TEXTS[language].refunds.steps.map((step) => `- [ ] ${step}`).join('\n')}\n\n\`\`\`\nnpm run migrate -- --to latest\n${MIXED_TEXT}\n\`\`\`\n\n1. ${MIXED_TEXT}\n   - \`${MIXED_TEXT}\``}
      />
    </Sheet>
  )),
  story('output', () => (
    <Sheet title="Output">
      <OutputBox
        label="Output"
        version={1}
        from={0}
        box={{ current: null }}
        isFollowed
        setFollowed={() => {}}
        isWrapped
      >
        {`${TEST_RUN}\n`.repeat(6)}
        {MIXED_TEXT}
      </OutputBox>
    </Sheet>
  )),
  story('dialog', ({ language }) => (
    <Sheet title="Page">
      <Dialog title={TEXTS[language].goal} close={ignore}>
        <p>{TEXTS[language].rename.text}</p>
        <p>
          <UntrustedText text={MIXED_TEXT} />
        </p>
        <div class="actions">
          <button class="button main" type="button">
            {TEXTS[language].rename.choices[0]}
          </button>
        </div>
      </Dialog>
    </Sheet>
  )),
  story('confirm', () => <Confirm />, click('.danger')),
  story('split', () => <Split isOpen={false} />),
  story('split-open', () => <Split isOpen />),
  story('list-5000', () => (
    <Sheet title="List">
      <LongList />
    </Sheet>
  )),
]

function story(name: string, render: Story['render'], play?: Story['play']): Story {
  return play === undefined ? { name, render } : { name, render, play }
}

function login(name: string, logoutReason: LogoutReason | undefined, kind: 'server' | 'key' | 'ui'): Story {
  return {
    name,
    answers: () => ({ 'login.json': () => answerJson({ kind }) }),
    render: () => <Login logoutReason={logoutReason} logIn={ignore} chooseLanguage={ignore} />,
  }
}

/** A page around components that are not one. */
function Sheet({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <main id="main">
      <h1 lang="en">{title}</h1>
      {children}
    </main>
  )
}

function Confirm() {
  return (
    <Sheet title="Confirmation">
      <ConfirmButton
        label="kill"
        title="killAsk"
        warning="killMeans"
        cancelLabel="keepRunning"
        subject="#41"
        details={<UntrustedText text={MIXED_TEXT} />}
        act={() => Promise.resolve({ ok: false, status: 409, message: 'The job has already ended.' })}
      />
    </Sheet>
  )
}

function Split({ isOpen }: { readonly isOpen: boolean }) {
  return (
    <Sheet title="Split view">
      <SplitView
        list={<LongList />}
        detail={
          isOpen ? (
            <div class="card">
              <h2>41</h2>
              <UntrustedText text={MIXED_TEXT} />
            </div>
          ) : undefined
        }
        detailKey="41"
        detailLabel="41"
        backHref="#/jobs"
        placeholder="Choose an entry"
      />
    </Sheet>
  )
}

function LongList() {
  return (
    <VirtualList
      items={Array.from({ length: 5000 }, (_, index) => index)}
      keyOf={String}
      estimate={44}
      label="Numbers"
      current="3"
      render={(index) => (
        <div class="card">
          <a href={`#/jobs/${index}`}>
            <UntrustedText text={index % 7 === 0 ? `${index} ${MIXED_TEXT}` : `${index}`} />
          </a>
        </div>
      )}
    />
  )
}
