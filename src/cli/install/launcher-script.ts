// A small script that stands at the place of the executable where there is only a runtime and a program for it. It
// says what to do when either has gone.

import { quotedWord } from '../../lib/shell-word.js'

const FIRST_LINES = '#!/bin/sh\n# Starts scorpiox-code. Written by `scorpiox-code install`, which writes it anew.\n'

/** Both are absolute. */
export function launcherScript(runtime: string, script: string): string {
  return `${FIRST_LINES}runtime=${quotedWord(runtime)}
script=${quotedWord(script)}
if [ ! -x "$runtime" ] && ! runtime=$(command -v node); then
  echo "scorpiox-code: there is no Node.js any more; install it, then run: npx scorpiox-code install" >&2
  exit 127
fi
if [ ! -f "$script" ]; then
  echo "scorpiox-code: $script is gone; run: npx scorpiox-code install" >&2
  exit 127
fi
exec "$runtime" "$script" "$@"
`
}

export function isLauncherScript(text: string): boolean {
  return text.startsWith(FIRST_LINES)
}
