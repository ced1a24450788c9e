// View of AskUserQuestion in the chat: the form while the question can be answered here, and then the answers. The answer is
// sent through a tool for views, and is recorded as coming from one. Built to a file of its own. Sends messages to the host.

import { useRef, useState } from 'preact/hooks'

import type { AppQuestion, AppQuestions } from '@scorpiox/server/calls/app-data'
import type { FormQuestion, QuestionReply } from '@scorpiox/server/calls/question-form'
import { UntrustedText } from '../components/text.js'
import { useTranslator } from '../use-translator.js'
import { type AnswerDraft, EMPTY_DRAFT, toReply } from '../views/answer-draft.js'
import { Choices } from '../views/question-choices.js'
import { type AppHost, isFields } from './app-host.js'
import { type AppViewProps, NotUpToDate, Problem, renderApp } from './app-frame.js'
import { readAskedQuestions, readAskedId } from './asked-questions.js'
import { useAppData } from './use-app-data.js'

const POLL_MS = 1500

function QuestionApp({ host, input, result }: AppViewProps) {
  const id = readAskedId(input, result)
  const asked = readAskedQuestions(input)
  const [sent, setSent] = useState<readonly QuestionReply[]>()
  const isSettled = result !== undefined && id === undefined
  const uri = isSettled ? undefined : `ui://scorpiox-code/data/questions${id === undefined ? '' : `?id=${id}`}`
  const findQuestion = ({ questions }: AppQuestions): AppQuestion | undefined =>
    questions.findLast((each) => id !== undefined || isSame(each.questions, asked))
  // Answered elsewhere, or gone. A question that is being asked may not be there yet.
  const isFinal = (read: AppQuestions): boolean => {
    const found = findQuestion(read)
    return found === undefined ? id !== undefined : found.replies !== null
  }
  const everyMs = sent === undefined ? POLL_MS : undefined
  const { data, isBehind } = useAppData(host, { uri, everyMs, isFinal, readsHidden: true }, isAppQuestions)
  const question = data && findQuestion(data)
  const replies = sent ?? question?.replies ?? readReplies(result)
  const shown = question?.questions ?? asked
  if (replies !== undefined) return <Answers questions={shown} replies={replies} />
  if (question === undefined) return <Unanswerable host={host} questions={asked} isRunning={result === undefined} />
  return (
    <>
      <QuestionForm host={host} question={question} isCallOver={result !== undefined} onSent={setSent} />
      {isBehind && <NotUpToDate />}
    </>
  )
}

interface QuestionFormProps {
  readonly host: AppHost
  readonly question: AppQuestion
  /** The model no longer waits: a message in the chat says that there is an answer. */
  readonly isCallOver: boolean
  readonly onSent: (replies: readonly QuestionReply[]) => void
}

function QuestionForm({ host, question: { id, questions }, isCallOver, onSent }: QuestionFormProps) {
  const { translate } = useTranslator()
  const [drafts, setDrafts] = useState<readonly AnswerDraft[]>(() => questions.map(() => EMPTY_DRAFT))
  const [isChecked, setChecked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState('')
  const form = useRef<HTMLDivElement>(null)
  const replies = questions.map((question, index) => toReply(drafts[index] ?? EMPTY_DRAFT, question))

  const send = async (complete: readonly QuestionReply[]): Promise<void> => {
    setBusy(true)
    setProblem('')
    try {
      await host.callTool('AnswerInView', { id, replies: complete.map(({ selected }) => selected) })
      onSent(complete)
      if (isCallOver)
        await host.sendMessage(translate('appAnswerMessage', { id, call: `AskUserQuestion {"id":${id}}` }))
    } catch (error) {
      setProblem(error instanceof Error ? error.message : '')
    }
    setBusy(false)
  }

  const submit = (): void => {
    setChecked(true)
    const complete = replies.flatMap((reply) => reply ?? [])
    if (complete.length === replies.length) void send(complete)
    else form.current?.querySelectorAll('fieldset')[replies.indexOf(undefined)]?.querySelector('input')?.focus()
  }

  // Not a form element: the frame may not be allowed to submit forms.
  return (
    <div
      ref={form}
      class="asking"
      role="form"
      aria-label={translate('questions')}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.isComposing || !(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        if (!isBusy && host.canCall) submit()
      }}
    >
      {questions.map((question, index) => (
        <Choices
          key={index}
          question={question}
          draft={drafts[index] ?? EMPTY_DRAFT}
          isMissing={isChecked && replies[index] === undefined}
          takesKeys={false}
          change={(next) => setDrafts((before) => before.map((draft, at) => (at === index ? next : draft)))}
        />
      ))}
      <Problem text={problem} />
      <div class="actions">
        <button class="button main" type="button" disabled={isBusy || !host.canCall} onClick={submit}>
          {translate(isBusy ? 'sending' : 'answer')}
        </button>
        <button
          class="button"
          type="button"
          disabled={isBusy || !host.canCall}
          onClick={() => void send(questions.map(() => ({ outcome: 'declined', selected: [] })))}
        >
          {translate('decline')}
        </button>
      </div>
    </div>
  )
}

interface AnswersProps {
  readonly questions: readonly FormQuestion[]
  readonly replies: readonly QuestionReply[]
}

function Answers({ questions, replies }: AnswersProps) {
  const { translate } = useTranslator()
  return (
    <dl class="answers">
      {questions.map(({ text }, index) => {
        const reply = replies[index]
        return (
          <div key={index}>
            <dt>
              <UntrustedText text={text} />
            </dt>
            <dd>
              {reply?.outcome === 'answered' ? (
                reply.selected.map((each, at) => <UntrustedText key={at} class="answer" text={each} />)
              ) : (
                <span class="quiet">{translate(reply === undefined ? 'appNotAnswered' : 'appDeclined')}</span>
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

interface UnanswerableProps {
  readonly host: AppHost
  readonly questions: readonly FormQuestion[]
  readonly isRunning: boolean
}

/** The client shows a form of its own, or does not let a view read what is asked. */
function Unanswerable({ host, questions, isRunning }: UnanswerableProps) {
  const { translate } = useTranslator()
  return (
    <>
      {questions.map(({ text, choices }, index) => (
        <section key={index}>
          <h2>
            <UntrustedText text={text} />
          </h2>
          <ul class="options">
            {choices.map(({ label }, at) => (
              <li key={at}>
                <UntrustedText text={label} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      <p class="quiet">{translate(isRunning && host.canRead ? 'appAnswerInForm' : 'appAnswerInChat')}</p>
    </>
  )
}

function isSame(questions: readonly FormQuestion[], asked: readonly FormQuestion[]): boolean {
  return questions.length === asked.length && questions.every(({ text }, index) => text === asked[index]?.text)
}

/** Of a call that has ended with answers. */
function readReplies(result: AppViewProps['result']): readonly QuestionReply[] | undefined {
  const answers = result?.data.answers
  if (!Array.isArray(answers)) return undefined
  const replies = answers.filter(isFields).map(({ outcome, selected, comment }): QuestionReply => {
    if (outcome !== 'answered' || !Array.isArray(selected)) return { outcome: 'declined', selected: [] }
    return { outcome, selected: [...selected, ...(comment === undefined ? [] : [comment])].map(String) }
  })
  return answers.some((answer) => isFields(answer) && answer.outcome === 'no_response') ? undefined : replies
}

function isAppQuestions(value: unknown): value is AppQuestions {
  return isFields(value) && Array.isArray(value.questions)
}

renderApp('question', 'questions', QuestionApp)
