import { notice } from '../frame/answer.ts'
import { type MessageKey, text } from '../frame/language.ts'

/** A button that copies a text to the clipboard. */
export function Copy({ value, label }: { readonly value: string; readonly label: MessageKey }) {
  return (
    <button
      type="button"
      class="copy"
      onClick={async () => {
        const isCopied = await copied(value)
        notice.value = isCopied
          ? { text: text('copy.done'), tone: 'done' }
          : { text: text('copy.failed'), tone: 'failed' }
      }}
    >
      {text(label)}
    </button>
  )
}

/** Copies a text; returns false if the browser does not allow it, as on a plain http address of another machine. */
async function copied(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
    return true
  } catch {
    return false
  }
}
