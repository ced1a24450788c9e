// The variables of a resource template, and the address that follows from their values. Supports what servers use: simple
// and reserved expansion, and queries. Used by offer-view.tsx. Pure.

const EXPRESSION = /\{([+#./;?&]?)([^{}]+)\}/g

export function listVariables(template: string): readonly string[] {
  return [...template.matchAll(EXPRESSION)].flatMap(([, , names = '']) => names.split(',').map(bareName))
}

/** A variable without a value is left out. */
export function expandTemplate(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(EXPRESSION, (_, operator: string, names: string) => {
    const parts = names
      .split(',')
      .map(bareName)
      .filter((name) => values[name] !== undefined)
      .map((name) => expandVariable(operator, name, String(values[name])))
    return parts.length === 0 ? '' : (PREFIX[operator] ?? '') + parts.join(SEPARATOR[operator] ?? ',')
  })
}

const PREFIX: Readonly<Record<string, string>> = { '#': '#', '.': '.', '/': '/', ';': ';', '?': '?', '&': '&' }
const SEPARATOR: Readonly<Record<string, string>> = { '.': '.', '/': '/', ';': ';', '?': '&', '&': '&' }

function bareName(name: string): string {
  return name.replace(/(\*|:\d+)$/, '').trim()
}

function expandVariable(operator: string, name: string, value: string): string {
  const encoded = operator === '+' || operator === '#' ? encodeURI(value) : encodeURIComponent(value)
  return /[;?&]/.test(operator) ? `${name}=${encoded}` : encoded
}
