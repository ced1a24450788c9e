export interface Dictionary {
  translate(sentence: string): string
  problems(): string[]
  text(): string
}

export function openDictionary(file: string, text?: string): Dictionary
