// The shell script that is installed if the program is not a single executable. It starts the runtime with the program, and
// says what to do if either is missing.

import { quotedWord } from '../../lib/shell-word.js'

const FIRST_LINES = '#!/bin/sh\n# Starts scorpiox-code. Written by `scorpiox-code install`, which writes it anew.\n'

/** Both paths are absolute. */
export function launcherScript(runtime: string, script: string): string {
  return `${FIRST_LINES}runtime=${quotedWord(runtime)}
script=${quotedWord(script)}
if [ ! -x "$runtime" ] && ! runtime=$(command -v node); then
  echo "scorpiox-code: Node.js was not found; install it, then run: npx scorpiox-code install" >&2
  exit 127
fi
if [ ! -f "$script" ]; then
  echo "scorpiox-code: $script does not exist; run: npx scorpiox-code install" >&2
  exit 127
fi
exec "$runtime" "$script" "$@"
`
}

export function isLauncherScript(text: string): boolean {
  return text.startsWith(FIRST_LINES)
}
