// Guesses whether a failed command wanted input. At the end of stdin a program either reports an error, or exits right
// after its prompt.

const TAIL = 500

/** Error messages about the end of input or a missing terminal. */
const COMPLAINT =
  /\bEOFError\b|\bEOF when reading\b|\bunexpected (EOF|end of file) (on|from) (stdin|standard input)\b|\b(stdin|standard input|input device) is not a (tty|terminal)\b|\b(no|not a|without a) (tty|terminal) (present|available|attached)\b|\breadline was closed\b/i

/** A last line without a newline that ends like a prompt: `Name: `, `Continue? [y/N] `, `>>> `. */
const PROMPT =
  /(?:^|\n)[^\n]*[\p{L}\p{N}\])>'"] ?[?:>] ?$|(?:^|\n)[^\n]*[[(][^\n\])]{1,20}[\])]:? ?$|(?:^|\n)>{1,3} ?$/u

export function mayHaveWantedInput(output: string): boolean {
  const end = output.slice(-TAIL)
  return PROMPT.test(end) || COMPLAINT.test(end)
}

export const WANTED_INPUT =
  "It may have wanted input, and stdin has no more: pass it in the command (printf 'yes\\n' | program), or use an option that answers."
