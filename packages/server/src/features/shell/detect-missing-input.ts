// Guesses whether a failed command wanted input. At the end of stdin a program either reports an error, or exits right
// after its prompt.

const TAIL_CHARACTERS = 500

/** Error messages about the end of input or a missing terminal. */
const INPUT_ERROR =
  /\bEOFError\b|\bEOF when reading\b|\bunexpected (EOF|end of file) (on|from) (stdin|standard input)\b|\b(stdin|standard input|input device) is not a (tty|terminal)\b|\b(no|not a|without a) (tty|terminal) (present|available|attached)\b|\breadline was closed\b/i

/** A last line without a newline that ends like a prompt: `Name: `, `Continue? [y/N] `, `>>> `. */
const INPUT_PROMPT =
  /(?:^|\n)[^\n]*[\p{L}\p{N}\])>'"] ?[?:>] ?$|(?:^|\n)[^\n]*[[(][^\n\])]{1,20}[\])]:? ?$|(?:^|\n)>{1,3} ?$/u

export function mayNeedInput(output: string): boolean {
  const end = output.slice(-TAIL_CHARACTERS)
  return INPUT_PROMPT.test(end) || INPUT_ERROR.test(end)
}

export const NEEDS_INPUT_NOTE =
  "It may have wanted input, and stdin has no more: pass it in the command (printf 'yes\\n' | program), or use an option that answers."
