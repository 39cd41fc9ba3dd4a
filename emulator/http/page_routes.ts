import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { pagePaths } from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { html } from '../ui/html.ts'
import type { Reply, Route } from './message.ts'

/** Scripts and styles come from the emulator alone, and no string becomes markup. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const headers = {
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Files that the build makes from `emulator/page`. Their names contain digests of their content. */
const folder = join(import.meta.dirname, import.meta.filename.endsWith('.cjs') ? '../page' : '../../dist/page')

/** Read at the first request for the page, and then kept in memory. */
let files: ReadonlyMap<string, Buffer> | undefined

function builtFiles(): ReadonlyMap<string, Buffer> {
  try {
    files ??= new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]))
    return files
  } catch {
    throw new Refusal(404, {
      message: 'The page is not there: payctl was updated or not built. Start the emulator again.',
    })
  }
}

const route = (path: string, handle: (reply: Reply, params: Readonly<Record<string, string>>) => void): Route => ({
  method: 'GET',
  path,
  parsers: {},
  admit: () => {},
  handle(request, reply) {
    handle(reply.headers(headers), request.params)
  },
})

/** The emulator's page: a document without data, and the script that reads the control endpoints. */
export const pageRoutes: readonly Route[] = [
  route(pagePaths.withoutSlash, (reply) => reply.redirect('_emulator/', 308)),
  route(pagePaths.page, (reply) => {
    const names = [...builtFiles().keys()]
    const named = (pattern: RegExp) => `page/${names.find((name) => pattern.test(name))}`
    const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>payctl emulator</title>
<link rel="icon" href="${named(/\.svg$/)}" type="image/svg+xml">
<link rel="stylesheet" href="${named(/\.css$/)}">
<script type="module" src="${named(/^page-.*\.js$/)}"></script>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript. <code>payctl emulator status</code> shows the world in a terminal.</noscript>
</body>
</html>
`
    reply.header('Cache-Control', 'no-cache').send('text/html; charset=utf-8', document.text)
  }),
  route(pagePaths.file, (reply, { file = '' }) => {
    const content = builtFiles().get(file)
    if (!content) throw new Refusal(404)
    reply
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .sendFile(types[extname(file)] ?? 'application/octet-stream', content)
  }),
]
