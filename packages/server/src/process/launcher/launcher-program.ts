// The shell launcher for this processor, as built by `npm run launcher` from shell-launcher.c. The files are base64 text,
// so that they are part of the bundle and of the executable. Used by shell-launcher.ts and its tests. Pure.

const PROGRAMS: Readonly<Record<string, () => Promise<{ readonly default: string }>>> = {
  x64: () => import('./shell-launcher-x64.base64?raw'),
  arm64: () => import('./shell-launcher-arm64.base64?raw'),
}

/** Undefined if there is none. */
export async function loadLauncherProgram(architecture: string = process.arch): Promise<Buffer | undefined> {
  const program = await PROGRAMS[architecture]?.()
  return program && Buffer.from(program.default, 'base64')
}
