// Icons of servers, tools, resources, templates and prompts, which clients show since revision 2025-11-25, and the check
// that mcp-server.ts applies to them when it is created. Pure.

/** An icon that clients may show beside a name. */
export interface Icon {
  /** An `https:` URL, or a `data:` URL of an image. */
  readonly src: string
  /** The type of the image, such as `image/png`, where the URL does not tell it. */
  readonly mimeType?: string
  /** Its sizes, such as `48x48`, or `any` for an image that scales. */
  readonly sizes?: readonly string[]
  /** The background that the icon is made for. */
  readonly theme?: 'light' | 'dark'
}

/** The members of an icon, separated by spaces; sizes by commas. */
const ICON_PATTERN = /^(https:\/\/|data:image\/).+ image\/\S+ ((any|\d+x\d+)(,|(?= )))* (light|dark)$/

/** Throws if an icon of `owner` is not as clients expect it. */
export function checkIcons(owner: string, icons: readonly Icon[] = []): void {
  for (const icon of icons) {
    const { src, mimeType = 'image/png', sizes = [], theme = 'dark' } = icon
    if (!ICON_PATTERN.test([src, mimeType, [...sizes], theme].join(' '))) {
      throw new Error(`${owner} has an icon that clients reject: ${src} (see the type Icon)`)
    }
  }
}
