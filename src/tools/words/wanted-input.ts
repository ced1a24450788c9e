// Whether a command that failed may have wanted input. stdin is empty or has been read to its end, which a program
// answers in one of two ways: it says so, or it ends right after its question.

const TAIL = 500

/** What programs say that found no more input, or no terminal to ask at. */
const COMPLAINT =
  /\bEOFError\b|\bEOF when reading\b|\bunexpected (EOF|end of file) (on|from) (stdin|standard input)\b|\b(stdin|standard input|input device) is not a (tty|terminal)\b|\b(no|not a|without a) (tty|terminal) (present|available|attached)\b|\breadline was closed\b/i

/** A last line without a newline that ends as a question does: `Name: `, `Continue? [y/N] `, `>>> `. */
const PROMPT =
  /(?:^|\n)[^\n]*[\p{L}\p{N}\])>'"] ?[?:>] ?$|(?:^|\n)[^\n]*[[(][^\n\])]{1,20}[\])]:? ?$|(?:^|\n)>{1,3} ?$/u

export function mayHaveWantedInput(output: string): boolean {
  const end = output.slice(-TAIL)
  return PROMPT.test(end) || COMPLAINT.test(end)
}

export const WANTED_INPUT =
  "It may have wanted input, and stdin has no more: pass it in the command (printf 'yes\\n' | program), or use an option that answers."
