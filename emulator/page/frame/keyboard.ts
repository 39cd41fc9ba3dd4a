import { signal } from '@preact/signals'

/** True while the list of keys is shown. */
export const showsKeys = signal(false)

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'))

/** Handles the keys of the whole page. While the user types in a field, only Escape works. */
export function startKeyboard(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    if (event.key === 'Escape') return leave(event)
    if (isTyping(event) || showsKeys.value) return
    const act = actions[event.key]
    if (!act) return
    act()
    event.preventDefault()
  })
}

const actions: Readonly<Record<string, () => void>> = {
  '/': () => document.querySelector<HTMLInputElement>('[data-search]')?.focus(),
  '?': () => {
    showsKeys.value = true
  },
  j: () => moveFocus(1),
  k: () => moveFocus(-1),
}

/** Handles Escape: closes the list of keys, leaves a field, or follows the link that closes an open detail. */
function leave(event: KeyboardEvent): void {
  if (showsKeys.value) showsKeys.value = false
  else if (isTyping(event)) (event.target as HTMLElement).blur()
  else document.querySelector<HTMLElement>('[data-leave]')?.click()
}

/** Moves the focus between the rows of the first list; a row is a link, so Enter opens it. */
function moveFocus(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')]
  const at = rows.indexOf(document.activeElement as HTMLElement)
  const next = at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by
  const row = rows[next]
  row?.focus()
  row?.scrollIntoView({ block: 'nearest' })
}
