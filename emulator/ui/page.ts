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
