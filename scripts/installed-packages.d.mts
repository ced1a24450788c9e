export interface Locked {
  readonly version: string
  readonly resolved?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
}

export interface Lock {
  readonly packages: Readonly<Record<string, Locked>>
}

export function installedPackages(lock: Lock): Readonly<Record<string, Locked>>
