// Builds the server instructions sent with `initialize` and `server/discover`: what a model cannot learn from a single
// tool description. Only enabled tools are mentioned. Used by create-server.ts of the app. Pure.

/** One or two sentences, and the tools that must be enabled for them. */
interface Paragraph {
  readonly tools: readonly string[]
  readonly text: string
}

const PARAGRAPHS: readonly Paragraph[] = [
  {
    tools: ['Bash'],
    text: 'Bash runs each command in a new shell in the project directory: cd, variables and exports do not last. Commands read no input.',
  },
  {
    tools: ['Bash', 'ReadBgOutput'],
    text: 'Long output is shown with its middle left out and kept whole: ReadBgOutput with pattern searches it, with tail reads its end.',
  },
  {
    tools: ['BackgroundBash', 'ReadBgOutput'],
    text: 'BackgroundBash is for servers, watchers and long builds. Wait with ReadBgOutput (wait_for_port, wait_for_pattern, wait_for_end) instead of polling or sleeping. Programs that ask questions, REPLs and editors: BackgroundBash with tty, then ReadBgOutput with input or keys; a bash started so keeps cd and variables.',
  },
  {
    tools: ['SetCallback'],
    text: 'A callback that fires stands at the front of the next result of any tool.',
  },
  {
    tools: ['ReadDocs', 'WebSearch'],
    text: 'WebSearch finds pages, ReadDocs reads one.',
  },
  {
    tools: ['TaskManager'],
    text: 'TaskManager keeps tasks across sessions, shared by all agents of the project.',
  },
  {
    tools: ['PlanMode'],
    text: 'In plan mode the operating system lets commands only read; PlanMode exit asks the user to end it.',
  },
  {
    tools: ['AskUserQuestion'],
    text: 'AskUserQuestion reaches the user even if the client cannot show forms; do not answer for them.',
  },
  {
    tools: ['InvokeSkill'],
    text: 'Skills are instructions of the user or the project for recurring work: look for one before you improvise.',
  },
]

export function buildInstructions(tools: readonly string[]): string {
  const isOn = (name: string): boolean => tools.includes(name)
  return PARAGRAPHS.filter(({ tools: required }) => required.every(isOn))
    .map(({ text }) => text)
    .join('\n')
}
