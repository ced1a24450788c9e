// The folder of the programs of Windows. Used wherever a program of Windows is started. Reads the environment. Not in os.ts,
// which every server loads.

/** For absolute paths: Windows looks for a bare name in the working directory first. */
export function findSystem32({ SystemRoot: root = 'C:\\Windows' }: NodeJS.ProcessEnv = process.env): string {
  return `${root}\\System32`
}
