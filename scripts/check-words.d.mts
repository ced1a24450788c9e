export interface WordFinding {
  readonly path: string
  readonly line: number
  readonly word: string
  readonly kind: 'file name' | 'phrase' | 'comment' | 'message' | 'name' | 'term'
}

/** The private words, phrases and wrong terms in one file; `path` is below the repository. */
export function findWords(path: string, text: string): readonly WordFinding[]
