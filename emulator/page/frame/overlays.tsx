import { useEffect, useRef } from 'preact/hooks'
import { notice } from './answer.ts'
import { showsKeys } from './keyboard.ts'
import { type MessageKey, text } from './language.ts'

/** Milliseconds that the result of an action stays on the screen. */
const shownFor = 8000

/** Results of actions: read out by screen readers, and shown in a corner. */
export function Notices() {
  const current = notice.value
  useEffect(() => {
    if (!current) return
    const timer = setTimeout(() => {
      notice.value = null
    }, shownFor)
    return () => clearTimeout(timer)
  }, [current])
  return (
    <div class="notices" role="status" aria-live="polite">
      {current && (
        <p class={`notice ${current.tone}`}>
          <bdi>{current.text}</bdi>
        </p>
      )}
    </div>
  )
}

const keys: readonly (readonly [key: string, meaning: MessageKey])[] = [
  ['/', 'keys.search'],
  ['j', 'keys.next'],
  ['k', 'keys.previous'],
  ['Enter', 'keys.open'],
  ['Escape', 'keys.leave'],
  ['?', 'keys.help'],
]

/** The list of keyboard shortcuts. */
export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null)
  const isOpen = showsKeys.value
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  return (
    <dialog
      ref={dialog}
      class="keys"
      aria-labelledby="keys-title"
      onClose={() => {
        showsKeys.value = false
      }}
    >
      <h2 id="keys-title">{text('keys.title')}</h2>
      <dl>
        {keys.map(([key, meaning]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text(meaning)}</dd>
          </div>
        ))}
      </dl>
      <button
        type="button"
        onClick={() => {
          showsKeys.value = false
        }}
      >
        {text('do.close')}
      </button>
    </dialog>
  )
}
