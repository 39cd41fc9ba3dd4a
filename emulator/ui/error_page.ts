import { html } from './html.ts'
import { masthead } from './masthead.ts'
import type { Page } from './page.ts'

interface Problem {
  readonly title: string
  readonly message: string
}

/** What a user sees when a link or an answer can't be followed. */
export const errorPage = ({ title, message }: Problem): Page => ({
  title,
  body: html`${masthead}
<main class="card">
<h1>${title}</h1>
<p class="lead">${message}</p>
<p class="note">Nothing was granted. You can close this page.</p>
</main>`,
})
