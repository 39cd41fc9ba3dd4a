import { hash } from 'node:crypto'
import type { Reply } from '../http/message.ts'
import { Html, html } from './html.ts'
import { type Language, textIn } from './language.ts'
import { style } from './page_style.ts'

export interface Page {
  readonly title: string
  readonly body: Html
  readonly language: Language
  /** Scheme of the redirect that follows the form, such as `com.example.app:`; http and https are always allowed. */
  readonly redirectScheme?: string
}

const styleHash = `'sha256-${hash('sha256', style, 'base64')}'`

/**
 * Chrome also applies `form-action` to the redirects after a form, even to redirects by the client's site, so the
 * policy allows any web site. The form itself can only go to the emulator, because the page escapes all values.
 */
const policy = (redirectScheme = 'https:') =>
  [
    "default-src 'none'",
    `style-src ${styleHash}`,
    ["form-action 'self'", ...new Set(['http:', 'https:', redirectScheme])].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** `same-origin`: without a referrer, the browser would send `Origin: null` when the page's own form is sent. */
const headers = {
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const

/** Sends a page that forbids scripts, content of other sites, and framing. */
export function sendPage(reply: Reply, { title, body, language, redirectScheme }: Page): void {
  const page = html`<!doctype html>
<html lang="${language}">
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
  reply
    .header('Content-Security-Policy', policy(redirectScheme))
    .headers(headers)
    .header('Vary', 'Accept-Language')
    .send('text/html; charset=utf-8', page.text)
}

/** Header of every page: says that no money is real. */
export const masthead = (language: Language): Html => html`<header>
<svg viewBox="0 0 24 24" width="28" height="28" aria-hidden="true" focusable="false"><path d="M12 2 3 6v2h18V6zM5 10v7h3v-7zm5.5 0v7h3v-7zm5.5 0v7h3v-7zM3 19v3h18v-3z"/></svg>
<span class="brand">payctl emulator</span>
<span class="badge">${textIn(language, 'page.badge')}</span>
</header>`

interface Problem {
  readonly title: string
  readonly message: string
}

/** The page for a refused link or answer. */
export const errorPage = ({ title, message }: Problem, language: Language): Page => ({
  title,
  language,
  body: html`${masthead(language)}
<main class="card">
<h1>${title}</h1>
<p class="lead">${message}</p>
<p class="note">${textIn(language, 'problem.note')}</p>
</main>`,
})
