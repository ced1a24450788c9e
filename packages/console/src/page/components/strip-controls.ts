// Removes bidirectional and control characters from untrusted text, which could make it look like other text. Used by
// the text components, the views and use-job-output. Pure.

export function stripControls(text: string): string {
  return text.replaceAll(/[\u202A-\u202E\u2066-\u2069]|(?![\n\t])\p{Cc}/gu, '')
}
