// Where the commands print. Resolves when the words have left the process, so that an exit cannot cut them.

export function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve())
  })
}

export function complain(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stderr.write(text, () => resolve())
  })
}
