import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Bar } from './frame/bar.tsx'
import { type MessageKey, text } from './frame/language.ts'
import { endedBy, live } from './frame/live.ts'
import { Keys, Notices } from './frame/overlays.tsx'
import { linkTo, place } from './frame/router.ts'
import { access, emulatorBase, worldName } from './frame/session.ts'
import { AskToken } from './views/access.tsx'
import { type View, views } from './views.ts'

const groups = ['watch', 'steer'] as const

/** The frame of the page: the bar, the navigation, the view that the address names, and messages. */
export function App() {
  if (access.value === 'checking') return null
  if (access.value !== 'open') return <AskToken />
  const [id, ...path] = place.value.path
  const view = id === undefined ? (views[0] as View) : views.find((each) => each.id === id)
  return (
    <div class="app">
      <button type="button" class="skip" onClick={() => focusHeading()}>
        {text('frame.skip')}
      </button>
      <Bar />
      <Navigation current={view?.id} />
      <main class="main">
        <Interruption />
        {view ? <ViewOf view={view} path={path} /> : <NoView />}
      </main>
      <Notices />
      <Keys />
    </div>
  )
}

function ViewOf({ view, path }: { readonly view: View; readonly path: readonly string[] }) {
  useFocusOnNavigation([view.id, ...path])
  useEffect(() => {
    document.title = `${text(view.title)} · ${worldName} · payctl emulator`
  })
  return <view.Body key={view.id} path={path} />
}

function NoView() {
  return (
    <div class="view">
      <h1 data-heading tabIndex={-1}>
        {text('frame.noView')}
      </h1>
      <p class="after">
        <a href={linkTo(['payments'])}>{text('nav.payments')}</a>
      </p>
    </div>
  )
}

/**
 * Focuses the heading of a new view or detail before the browser shows the view: otherwise text that a user types into
 * one of its fields at once would be lost. After a return to a list, focuses the row of the closed detail, which may be
 * rendered a little later.
 */
function useFocusOnNavigation(path: readonly string[]): void {
  const before = useRef<readonly string[] | null>(null)
  const key = path.join('/')
  const left = before.current
  const isBack = left !== null && left.length > path.length && left[0] === path[0]
  useLayoutEffect(() => {
    if (left !== null && !isBack) focusHeading()
  }, [key])
  useEffect(() => {
    before.current = path
    if (!isBack) return
    const row = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(left.at(-1) ?? '')}"]`)
    if (row) row.focus()
    else focusHeading()
  }, [key])
}

function focusHeading(): void {
  const headings = document.querySelectorAll<HTMLElement>('main [data-heading]')
  headings[headings.length - 1]?.focus()
}

function Navigation({ current }: { readonly current: string | undefined }) {
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    // In a narrow window the navigation is one line, which scrolls.
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current])
  return (
    <nav class="side" ref={list} aria-label={text('frame.navigation')}>
      {groups.map((group) => (
        <div key={group}>
          <h2 class="side-group" id={`nav-${group}`}>
            {text(`nav.group.${group}`)}
          </h2>
          <ul aria-labelledby={`nav-${group}`}>
            {views
              .filter((view) => view.group === group)
              .map(({ id, title }) => (
                <li key={id}>
                  <a href={linkTo([id])} aria-current={id === current ? 'page' : undefined}>
                    {text(title)}
                  </a>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}

/** Messages for the causes of a world's end. */
const ends: Readonly<Record<string, MessageKey>> = {
  deleted: 'live.deleted',
  expired: 'live.expired',
  moved: 'live.moved',
}

/** Shows why the stream of events is interrupted. */
function Interruption() {
  const state = live.value
  if (state === 'open' || state === 'connecting') return null
  const detail =
    state === 'ended' ? (ends[endedBy.value ?? ''] ?? 'live.ended.detail') : (`live.${state}.detail` as const)
  const link = state === 'ended' && <a href={`${emulatorBase}/_emulator/`}>{text('live.default')}</a>
  return (
    <p class={`interruption ${state}`} role="status">
      <strong>{text(`live.${state}.title`)}</strong> {text(detail)} {link}
    </p>
  )
}
