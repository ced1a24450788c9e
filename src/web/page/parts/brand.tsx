// Header: product name, navigation and language menu.

export function Brand() {
  return (
    <p class="brand" dir="ltr">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <rect width="24" height="24" rx="6" />
        <path d="M6 17h6a5 5 0 0 0 0-10h-2l3-3M10 7l3 3" />
      </svg>
      scorpiox-code
    </p>
  )
}
