// UNKNOWN, the placeholder for text of a command that is known only when it runs; the allow list of variables that a
// command may set, and the variables that change what commands do. Used by parse-command, shell-script,
// builtin-effects, started-command and permission-rules. Pure.

/** Stands for text that is known only when the command runs. Commands cannot contain this character. */
export const UNKNOWN = '\0'

/** Variables that may be set for a command without changing which program runs, or what code it loads. */
const SAFE_VARIABLES = new Set(
  (
    'CI COLUMNS FORCE_COLOR GOARCH GOOS LANG LINES NO_COLOR NODE_ENV PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED ' +
    'RUST_BACKTRACE RUST_LOG TERM TZ'
  ).split(' '),
)

export function isSafeVariable(name: string): boolean {
  return SAFE_VARIABLES.has(name) || /^LC_[A-Z]+$/.test(name)
}

/** Variables that bash itself or the loader of programs uses, even if they are not in the environment. */
const SPECIAL_VARIABLES =
  /^(?:BASH\w*|CDPATH|ENV|EXECIGNORE|FUNCNEST|GLOBIGNORE|HIST\w*|HOME|IFS|LD_\w*|DYLD_\w*|OLDPWD|OPT\w*|PATH|POSIXLY_CORRECT|PROMPT_COMMAND|PS[0-4]|PWD|SHELL\w*|TIMEFORMAT|TMPDIR)$/

export function assignsExportedVariable(name: string, isExported: (name: string) => boolean): boolean {
  return !isSafeVariable(name) && (SPECIAL_VARIABLES.test(name) || isExported(name))
}
