import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { pagePaths } from '../../src/contract/index.ts'
import { Refusal } from '../domain/refusal.ts'
import { html } from '../ui/html.ts'
import { languageOf } from '../ui/language.ts'
import { missingWorldPage } from '../ui/missing_world_page.ts'
import { sendPage } from '../ui/page.ts'
import type { Worlds } from '../worlds/worlds.ts'
import type { Reply, Request, Route } from './message.ts'

/** Scripts and styles may come only from the emulator, and no string becomes markup. */
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

/**
 * Folder of the files that the build makes from `emulator/page`. The names of the files contain digests of their
 * content.
 */
const folder = join(import.meta.dirname, import.meta.filename.endsWith('.cjs') ? '../page' : '../../dist/page')

/** Content of the files by name, read at the first request for the page and then kept in memory. */
let files: ReadonlyMap<string, Buffer> | undefined

function builtFiles(): ReadonlyMap<string, Buffer> {
  try {
    files ??= new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]))
    return files
  } catch {
    throw new Refusal(404, {
      message: 'The files of the page are missing: payctl was updated or not built. Start the emulator again.',
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

/**
 * The emulator's page: a document without data, and the script that reads the control endpoints. For a world that has
 * ended, has moved or never existed, a browser also gets a page; other clients get the envelope.
 */
export const pageRoutes = (worlds: Worlds): readonly Route[] =>
  [
    route(pagePaths.withoutSlash, (reply) => reply.redirect('_emulator/', 308)),
    route(pagePaths.page, sendDocument),
    route(pagePaths.file, (reply, { file = '' }) => {
      const content = builtFiles().get(file)
      if (!content) throw new Refusal(404)
      reply
        .header('Cache-Control', 'public, max-age=31536000, immutable')
        .sendFile(types[extname(file)] ?? 'application/octet-stream', content)
    }),
  ].map((each) => ({ ...each, onError: answerMissingWorld(worlds) }))

/** Answers a browser with a page if the world is missing; throws any other error. */
const answerMissingWorld = (worlds: Worlds) => (error: Error, request: Request, reply: Reply) => {
  const { world: name, worldId, path, prefix, headers } = request
  if (!(error instanceof Refusal) || worlds.get(name) || !prefersHtml(headers.accept)) throw error
  // The link is relative, because the emulator may be below the path of a public URL.
  const home = `${'../'.repeat(`${prefix}${path}`.split('/').length - 2)}_emulator/`
  reply.code(error.status).header('Cache-Control', 'no-store')
  const movedTo = error.status === 421 ? worlds.moved.urlOf(worlds.shard.named(name)) : undefined
  const ended = movedTo === undefined ? worlds.endedFor(name, worldId) : undefined
  sendPage(reply, missingWorldPage({ name, movedTo, ended, home }, languageOf(request)))
}

/** True for browsers: their Accept header names HTML, while other clients accept anything or JSON. */
const prefersHtml = (accept = ''): boolean => quality(accept, 'text/html') > quality(accept, 'application/json')

/** Quality of a media type in an Accept header; 0 if the header does not name the type. */
function quality(accept: string, type: string): number {
  const named = accept.split(',').map((range) =>
    range
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/),
  )
  const [, ...parameters] = named.find(([name]) => name === type) ?? ['', 'q=0']
  return Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
}

function sendDocument(reply: Reply): void {
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
}
