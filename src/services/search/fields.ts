// Fields of a form, as they stand in an address or a body.

export function fields(values: Readonly<Record<string, string>>): string {
  return new URLSearchParams(values).toString()
}
