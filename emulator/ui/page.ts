import { hash } from 'node:crypto'
import type { Reply } from '../http_server.ts'
import { Html, html } from './html.ts'
import { style } from './page_style.ts'

export interface Page {
  readonly title: string
  readonly body: Html
}

const styleHash = `'sha256-${hash('sha256', style, 'base64')}'`

/**
 * Chrome holds a form's redirects to `form-action`, those of the client's own site included, and that may go anywhere
 * from its callback. So it bars forms from what is no web site; where they go is for the escaping to ensure.
 */
const policy = [
  "default-src 'none'",
  `style-src ${styleHash}`,
  "form-action 'self' http: https:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `same-origin`, for without a referrer the browser would not say either where the page's own form comes from. */
const headers = {
  'Content-Security-Policy': policy,
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const

/** A whole page: no scripts, nothing from elsewhere, in nobody's frame. */
export function sendPage(reply: Reply, { title, body }: Page): void {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · payctl emulator</title>
<style>${new Html(style)}</style>
</head>
<body>
${body}
</body>
</html>
`
  reply.headers(headers).send('text/html; charset=utf-8', page.text)
}

/** Whose page this is, and that none of it is real. */
export const masthead = html`<header>
<svg viewBox="0 0 24 24" width="28" height="28" aria-hidden="true" focusable="false"><path d="M12 2 3 6v2h18V6zM5 10v7h3v-7zm5.5 0v7h3v-7zm5.5 0v7h3v-7zM3 19v3h18v-3z"/></svg>
<span class="brand">payctl emulator</span>
<span class="badge">No real money</span>
</header>`

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
