// The command line with which Windows PowerShell, which every Windows has, is asked about processes. Used by
// windows-processes.ts and read-start-times.ts. Starts nothing.

import { findSystem32 } from '@scorpiox/mcp/system32'

interface PowershellCall {
  readonly file: string
  readonly args: readonly string[]
}

/**
 * PowerShell 7 puts its own modules first into PSModulePath, which the programs that it starts pass on, such as this server.
 * Windows PowerShell cannot load those modules, and then has no Get-Process. Its exit code would be 1 if one process of
 * several could not be read.
 */
export function buildPowershellCall(script: string): PowershellCall {
  return {
    file: `${findSystem32()}\\WindowsPowerShell\\v1.0\\powershell.exe`,
    args: [
      '-NoLogo',
      '-NoProfile',
      '-NonInteractive',
      '-Command',
      `$env:PSModulePath = $PSHOME + '\\Modules'; ${script}; exit 0`,
    ],
  }
}
