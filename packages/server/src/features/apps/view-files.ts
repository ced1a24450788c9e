// What the resources of MCP Apps need besides the services of the features: the HTML files of the views, and colours in the
// output of jobs. Opened by services.ts of the app. Reads files.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { Failure } from '@scorpiox/mcp/errors'

export interface ViewFiles {
  /** The HTML of a view. */
  read(name: string): Promise<string>
  /** Of the console, whose page renders output in the same way. */
  loadStyleMarks(): Promise<() => StyleMarks>
}

/** Carries colours through the renderer of terminal rows, for one part of an output. */
export interface StyleMarks {
  mark(bytes: Buffer): Buffer
  end(): Buffer
  /** Text with SGR sequences, each within one line. */
  toSgr(text: string, isFinal: boolean): string
}

export interface ViewFilesDeps extends Pick<ViewFiles, 'loadStyleMarks'> {
  /** The folder of the program's files. */
  readonly partsDir: string
}

export function openViewFiles({ partsDir, loadStyleMarks }: ViewFilesDeps): ViewFiles {
  return {
    loadStyleMarks,
    async read(name) {
      const file = join(partsDir, 'apps', `${name}.html`)
      try {
        return await readFile(file, 'utf8')
      } catch {
        throw new Failure(`The view ${name} cannot be read: ${file} is missing. Install scorpiox-code again.`)
      }
    },
  }
}
