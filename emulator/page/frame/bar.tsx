import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useAnswer } from './answer.ts'
import { showsKeys } from './keyboard.ts'
import { chooseLanguage, day, language, text, time, zone } from './language.ts'
import { live } from './live.ts'
import { go } from './router.ts'
import { worldName } from './session.ts'

/**
 * The bar above all views: the world, the search for any id, the world's time, and the state of the stream of events.
 */
export function Bar() {
  return (
    <header class="bar">
      <a class="brand" href="#/payments">
        <Mark />
        payctl <span class="brand-soft">emulator</span>
      </a>
      <a class="world" href="#/worlds" title={text('bar.world')}>
        <span class="visually-hidden">{text('bar.world')}: </span>
        <bdi>{worldName}</bdi>
      </a>
      <SearchField />
      <WorldClock />
      <Live />
      <LanguageSwitch />
      <button
        type="button"
        class="plain keys-button"
        aria-label={text('keys.title')}
        title={text('keys.title')}
        onClick={() => {
          showsKeys.value = true
        }}
      >
        ?
      </button>
    </header>
  )
}

function LanguageSwitch() {
  const other = language.value === 'en' ? 'es' : 'en'
  const name = other === 'es' ? 'Español' : 'English'
  return (
    <button type="button" class="plain" lang={other} title={name} onClick={() => void chooseLanguage(other)}>
      <span class="language-name">{name}</span>
      <span class="language-code">{other.toUpperCase()}</span>
    </button>
  )
}

const Mark = () => (
  <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
    <rect width="24" height="24" rx="6" class="mark-back" />
    <path class="mark-front" d="M7 6.5h6a4 4 0 0 1 0 8h-3V18H7zm3 2.6v2.8h2.7a1.4 1.4 0 0 0 0-2.8z" />
  </svg>
)

function SearchField() {
  const typed = useSignal('')
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        const id = typed.value.trim()
        if (id !== '') go(['search'], { q: id })
      }}
    >
      <input
        type="search"
        data-search
        aria-label={text('search.label')}
        placeholder={text('search.placeholder')}
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event) => {
          typed.value = event.currentTarget.value
        }}
      />
      <span class="key" aria-hidden="true">
        /
      </span>
    </form>
  )
}

/** The world's time, which can stand still or run faster. */
function WorldClock() {
  const { data } = useAnswer('control.clock.get', {}, { when: ({ type }) => type === 'clock' })
  const shown = useSignal('')
  useEffect(() => {
    if (!data) return
    const start = performance.now()
    const show = () => {
      const passed = data.frozen ? 0 : (performance.now() - start) * data.speed
      const now = new Date(Date.parse(data.now) + passed).toISOString()
      shown.value = now
    }
    show()
    const timer = data.frozen ? undefined : setInterval(show, 1000)
    return () => clearInterval(timer)
  }, [data])
  if (!data) return null
  return (
    <a class="clock" href="#/time" title={text('bar.clock', { zone: zone() })}>
      {data.frozen && <span class="clock-mark">{text('bar.frozen')} </span>}
      {data.speed !== 1 && !data.frozen && <span class="clock-mark">×{data.speed} </span>}
      {shown.value !== '' && (
        <>
          <span class="clock-day">{day(shown.value)}, </span>
          {time(shown.value)}
        </>
      )}
    </a>
  )
}

function Live() {
  const isLive = live.value === 'open' || live.value === 'reset' || live.value === 'restarted'
  const label = isLive ? text('live.on') : live.value === 'connecting' ? text('live.connecting') : text('live.off')
  return (
    <span class={`live ${isLive ? 'on' : 'off'}`}>
      <span class="live-dot" aria-hidden="true" />
      {label}
    </span>
  )
}
