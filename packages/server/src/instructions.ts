// Builds the server instructions sent with `initialize` and `server/discover`: what a model cannot learn from a single
// tool description. Only enabled tools are mentioned, and only what this system can do. Used by create-server.ts of the
// app. Pure.

/** One or two sentences, and the tools that must be enabled for them. */
interface Paragraph {
  readonly tools: readonly string[]
  readonly text: string
  /** The text on a system that lacks something: a sandbox, or terminals. */
  readonly withoutSandbox?: string
  readonly withoutTerminals?: string
}

/** What this system can do. */
export interface SystemAbilities {
  readonly hasSandbox: boolean
  readonly hasTerminals: boolean
}

const USE_OF_JOBS =
  'Use BackgroundBash for servers, watchers and long builds; the number of a job is its task_id. Wait with ReadBgOutput (wait_for_port, wait_for_pattern, wait_for_end) instead of polling or sleeping.'

const PARAGRAPHS: readonly Paragraph[] = [
  {
    tools: ['Bash'],
    text: 'Bash runs each command in a new shell in the project directory: cd, variables and exports do not persist. Commands get no input.',
  },
  {
    tools: ['Bash', 'ReadBgOutput'],
    text: 'Long output is shown without its middle but stored in full: ReadBgOutput searches it with pattern and reads its end with tail.',
  },
  {
    tools: ['BackgroundBash', 'ReadBgOutput'],
    text: `${USE_OF_JOBS} For REPLs, editors and programs that ask questions, use BackgroundBash with tty, then ReadBgOutput with input or keys; a bash started this way keeps cd and variables.`,
    withoutTerminals: `${USE_OF_JOBS} There are no terminals on this system: BackgroundBash gives a program a pipe as stdin, and ReadBgOutput writes input and the key enter to it. REPLs need a flag that makes them read a pipe, such as python -i or node -i; editors do not work.`,
  },
  {
    tools: ['SetCallback'],
    text: 'A callback that fires appears at the start of the next tool result.',
  },
  {
    tools: ['ReadDocs', 'WebSearch'],
    text: 'WebSearch finds pages, ReadDocs reads one.',
  },
  {
    tools: ['TaskManager'],
    text: 'TaskManager keeps tasks across sessions; all agents of the project share them.',
  },
  {
    tools: ['PlanMode'],
    text: 'In plan mode the operating system makes commands read-only; PlanMode exit asks the user to approve the plan.',
    withoutSandbox:
      'In plan mode commands are refused, because there is no sandbox on Windows; PlanMode exit asks the user to approve the plan.',
  },
  {
    tools: ['AskUserQuestion'],
    text: 'AskUserQuestion reaches the user even if the client cannot show forms; never answer for them.',
  },
  {
    tools: ['InvokeSkill'],
    text: 'Skills are instructions of the user or the project for recurring work: check for one before you improvise.',
  },
]

export function buildInstructions(tools: readonly string[], { hasSandbox, hasTerminals }: SystemAbilities): string {
  return PARAGRAPHS.filter(({ tools: required }) => required.every((name) => tools.includes(name)))
    .map(({ text, withoutSandbox, withoutTerminals }) => {
      if (!hasSandbox && withoutSandbox !== undefined) return withoutSandbox
      return !hasTerminals && withoutTerminals !== undefined ? withoutTerminals : text
    })
    .join('\n')
}
