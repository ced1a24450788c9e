// Encodes form fields for a URL or a request body.

export function fields(values: Readonly<Record<string, string>>): string {
  return new URLSearchParams(values).toString()
}
