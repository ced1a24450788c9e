// What plan mode does to commands on this system, in words: where there is a sandbox they can only read, on Windows they
// are refused. Used by plan-mode-handler and format-decision. Pure.

interface PlanEffect {
  /** After "commands". */
  readonly state: string
  /** A sentence without its period, about the folder of the plan. */
  inFolder(folder: string): string
  /** The same for the moment in which plan mode begins. */
  readonly atStart: string
  /** What commands can do again when plan mode has ended. */
  readonly regained: string
}

const READ_ONLY: PlanEffect = {
  state: 'can only read',
  inFolder: (folder) => `Commands can only read, except in ${folder}`,
  atStart: 'Commands can now only read, except in that folder.',
  regained: 'write',
}

const REFUSED: PlanEffect = {
  state: 'are refused',
  inFolder: () => 'Commands are refused, because there is no sandbox on Windows',
  atStart: 'Commands are now refused, because there is no sandbox on Windows.',
  regained: 'run',
}

export function describePlanEffect(platform: NodeJS.Platform = process.platform): PlanEffect {
  return platform === 'win32' ? REFUSED : READ_ONLY
}
