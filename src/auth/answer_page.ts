import { hash } from 'node:crypto'
import type { Language } from '../run/invocation.ts'
import { escapeHtml } from '../run/markup.ts'
import { asText, inEnglish, type Said, say, type Translate } from '../words/text.ts'

/** Page that the browser shows after the service's answer to a login. */
export interface AnswerPage {
  readonly status: 200 | 400
  readonly title: string
  readonly text: Said
}

export const loggedInPage: AnswerPage = {
  status: 200,
  title: 'You are logged in',
  text: 'payctl has what it needs. You can close this page and go back to the terminal.',
}

/** `why` may contain the service's text. */
export const failedPage = (why: Said): AnswerPage => ({
  status: 400,
  title: 'Not logged in',
  text: say`${asText(why)} The terminal says how to continue. You can close this page.`,
})

/**
 * Page for a request that is not the answer to the login: any site or program can send requests here. The page reveals
 * nothing about the login in progress.
 */
export const strayPage: AnswerPage = {
  status: 400,
  title: 'This is not the answer that payctl is waiting for',
  text: 'Nothing was changed. Use the address that payctl printed in the terminal, or start again there.',
}

const style = `
:root {
  color-scheme: light dark;
  --page: #f3f5f7; --card: #fff; --line: #d5dce2; --text: #14212b; --soft: #4d5c67; --good: #0b5a50; --bad: #9c2316;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0d1317; --card: #151d23; --line: #2c3942; --text: #e9eff3; --soft: #a5b4bf; --good: #6fd0be; --bad: #ff9d8f;
  }
}
*, ::before, ::after { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 4rem 1rem 3rem; max-width: 34rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Open Sans", "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
main { padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem; }
p { margin: 0; color: var(--soft); }
.brand { margin: 0 .25rem 1.25rem; font-weight: 650; color: var(--text); }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; letter-spacing: -.02em; font-weight: 650; }
.good { color: var(--good); }
.bad { color: var(--bad); }
@media (max-width: 30rem) { body { padding-top: 1.5rem; } main { padding: 1.5rem 1.125rem; } }
`

/**
 * Headers that forbid scripts, other sources, frames and caching: the page's address contains the authorization code.
 */
export const pageHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const

/**
 * Renders the page in Spanish if the browser prefers Spanish to English and all of the page is translated; otherwise in
 * English.
 */
export async function markup(page: AnswerPage, acceptLanguage: string | undefined): Promise<string> {
  const [known] = /\b(?:en|es)\b/i.exec(acceptLanguage ?? '') ?? []
  if (known?.toLowerCase() !== 'es') return markupIn('en', page, inEnglish)
  const { inSpanish } = await import('../words/spanish.ts')
  const isKnown = [page.title, page.text].every((said) => inSpanish(said) !== undefined)
  return isKnown ? markupIn('es', page, (said) => inSpanish(said) ?? '') : markupIn('en', page, inEnglish)
}

const markupIn = (
  language: Language,
  { status, title, text }: AnswerPage,
  translate: Translate,
): string => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(translate(title))} · payctl</title>
<style>${style}</style>
</head>
<body>
<p class="brand">payctl</p>
<main>
<h1 class="${status === 200 ? 'good' : 'bad'}">${escapeHtml(translate(title))}</h1>
<p>${escapeHtml(translate(text))}</p>
</main>
</body>
</html>
`
