import type { Ended } from '../worlds/ended_worlds.ts'
import { html } from './html.ts'
import { type Language, markupIn, textIn } from './language.ts'
import { masthead, type Page } from './page.ts'

interface Missing {
  /** Name of the world in the address. */
  readonly name: string
  /** Undefined if no world ever had this name. */
  readonly ended: Ended | undefined
  /** Address of the emulator's own page. */
  readonly home: string
}

/** The page shown instead of a world that has ended or never existed. */
export function missingWorldPage({ name, ended, home }: Missing, language: Language): Page {
  const title = textIn(language, ended ? 'world.ended' : 'world.unknown').replace('{name}', () => name)
  const time = html`<time>${ended ? secondsOf(ended.at) : ''}</time>`
  const detail = ended
    ? markupIn(language, `world.ended.${ended.by}`, { time })
    : markupIn(language, 'world.unknown.detail', {})
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

/** Time to the second, like `2026-01-05 12:00:00 UTC`. */
const secondsOf = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
