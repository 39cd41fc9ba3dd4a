import type { Ended } from '../worlds/ended_worlds.ts'
import { html } from './html.ts'
import { type Language, markupIn, textIn } from './language.ts'
import { masthead, type Page } from './page.ts'

interface Missing {
  /** Name of the world in the address. */
  readonly name: string
  /** Base URL of the world at another emulator, if it has moved. */
  readonly movedTo: string | undefined
  /** Undefined if the world has moved, or if no world ever had this name. */
  readonly ended: Ended | undefined
  /** Address of the emulator's own page. */
  readonly home: string
}

/** The page shown instead of a world that has ended, has moved or never existed. */
export function missingWorldPage({ home, ...missing }: Missing, language: Language): Page {
  const { key, detail } = messagesOf(missing, language)
  const title = textIn(language, key).replace('{name}', () => missing.name)
  return {
    title,
    language,
    body: html`${masthead(language)}
<main class="card">
<h1>${title}</h1>
<p class="lead">${detail}</p>
<p class="note"><a href="${home}">${textIn(language, 'world.others')}</a></p>
</main>`,
  }
}

function messagesOf({ ended, movedTo }: Omit<Missing, 'home'>, language: Language) {
  if (movedTo !== undefined) {
    const url = html`<a href="${movedTo}/_emulator/">${movedTo}</a>`
    return { key: 'world.moved', detail: markupIn(language, 'world.moved.detail', { url }) } as const
  }
  if (!ended) return { key: 'world.unknown', detail: markupIn(language, 'world.unknown.detail', {}) } as const
  const time = html`<time>${secondsOf(ended.at)}</time>`
  return { key: 'world.ended', detail: markupIn(language, `world.ended.${ended.by}`, { time }) } as const
}

/** Time to the second, like `2026-01-05 12:00:00 UTC`. */
const secondsOf = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
