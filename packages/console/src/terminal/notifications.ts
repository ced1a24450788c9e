// The signal for a new question or a failed job: the bell of the terminal, and a desktop notification (OSC 9) where the
// terminal is known to show it; others would print it or take it for something else. Used by inbox-command.ts. Pure.

import { toPrintableText } from '@scorpiox/server/terminal/text-layout'
import { truncateToWidth } from '@scorpiox/server/text/column-width'

const BELL = '\u0007'

export const NOTIFY_MODES = ['auto', 'always', 'never'] as const
/** `always`: also to terminals that are not known; `never`: the bell only. */
export type NotifyMode = (typeof NOTIFY_MODES)[number]

const MAX_COLUMNS = 120
const KNOWN_PROGRAMS: ReadonlySet<string> = new Set(['iTerm.app', 'WezTerm', 'ghostty', 'WarpTerminal', 'rio'])
const KNOWN_TERMS = /^(xterm-kitty|xterm-ghostty|wezterm|foot|rio)/

/** What is written to the terminal. Inside tmux it is passed through to the terminal around it. */
export function notificationSequence(text: string, mode: NotifyMode, env: NodeJS.ProcessEnv): string {
  if (mode === 'never' || (mode === 'auto' && !showsNotifications(env))) return BELL
  // The name in front keeps a number from being read as a subcommand, as in `OSC 9;4`.
  const line = toPrintableText(`scorpiox-code: ${text}`).replaceAll(/[\n\t]/g, ' ')
  const notification = `\u001B]9;${truncateToWidth(line, MAX_COLUMNS)}\u001B\\`
  return `${env.TMUX ? `\u001BPtmux;${notification.replaceAll('\u001B', '\u001B\u001B')}\u001B\\` : notification}${BELL}`
}

function showsNotifications({ TERM = '', TERM_PROGRAM = '', LC_TERMINAL = '', ...env }: NodeJS.ProcessEnv): boolean {
  return (
    KNOWN_PROGRAMS.has(TERM_PROGRAM) ||
    KNOWN_TERMS.test(TERM) ||
    LC_TERMINAL === 'iTerm2' ||
    env.KITTY_WINDOW_ID !== undefined ||
    env.GHOSTTY_RESOURCES_DIR !== undefined ||
    env.WEZTERM_PANE !== undefined
  )
}
