// The arguments with which a shell runs one command: stderr joined to stdout in order, line numbers from 1.

// One bash joins stderr to stdout, then executes another one, which is unaware of it. With -p, only the second reads
// BASH_ENV. Up to bash 5.0 (macOS has 3.2) line numbers with -c start at 0, which an empty line corrects.
const EXEC_COMMAND = `((LINENO)) || set -- $'\\n'"$1"; exec "$BASH" -c -- "$1" bash 2>&1`

export function bashArguments(command: string): readonly string[] {
  return ['-p', '-c', EXEC_COMMAND, 'bash', command]
}

// Git Bash parses its command line in its own way: some versions halve runs of backslashes, and a word without quotes
// is globbed. So a backslash is passed as \1, and the leading space makes Node.js quote the whole argument.
const RESTORE_BACKSLASHES = `set -- "$1" $'\\1' '\\'; set -- "\${1//$2/$3}"`

export function gitBashArguments(command: string): readonly string[] {
  return ['-p', '-c', `${RESTORE_BACKSLASHES}; ${EXEC_COMMAND}`, 'bash', ` ${command.replaceAll('\\', '\u0001')}`]
}

export function powershellArguments(command: string): readonly string[] {
  const script = Buffer.from(powershellScript(command), 'utf16le').toString('base64')
  const unattendedFlags = ['-NoLogo', '-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass']
  // By default, an encoded command writes its errors as XML.
  return [...unattendedFlags, '-OutputFormat', 'Text', '-EncodedCommand', script]
}

// PowerShell's own errors go to its output. Not by 2>&1: Windows PowerShell would make an error of five lines from each
// line that a program writes to stderr. The exit code is that of the last program or, if none ran, tells whether the
// last statement succeeded.
function powershellScript(command: string): string {
  const statements = [
    `$ProgressPreference='SilentlyContinue'`,
    `try{[Console]::OutputEncoding=$OutputEncoding=New-Object Text.UTF8Encoding $false}catch{}`,
    `[Console]::SetError([Console]::Out)`,
    `$__block=[ScriptBlock]::Create(${powershellLiteral(`${command}\n$global:__ok=$?`)})`,
    `if(!$?){exit 1}`,
    `$__ok=$true`,
    `&$__block`,
    `if($null -ne $LASTEXITCODE){exit $LASTEXITCODE}`,
    `exit [int](!$__ok)`,
  ]
  return statements.join(';')
}

/** PowerShell ends a literal at typographic quotes, too. */
function powershellLiteral(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201B]/g, '$&$&')}'`
}
