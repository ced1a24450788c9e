export interface Sizes {
  readonly loaded: Readonly<Record<string, number>>
  readonly apart: Readonly<Record<string, number>>
}

export function kernelSize(): Promise<Sizes>

export function bundled(program: string, options?: { readonly dir?: string }): Promise<Readonly<Record<string, number>>>
