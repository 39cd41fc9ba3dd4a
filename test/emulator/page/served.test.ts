import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { Clock } from '../../../emulator/clock.ts'
import { PageCodes } from '../../../emulator/http/page_codes.ts'
import { ManualTime } from '../../support/manual_time.ts'
import { startWorld } from '../control/world.ts'

const secrets = { controlToken: 'c0ntrol-of-this-test', token: 'token-of-this-test-alone' }

describe('the page', () => {
  test('is a document without data, for every world, and is not in the log of requests', async () => {
    const { emulator, make, steer } = await startWorld()
    const { made } = await make({ name: 'shop' })
    const documents = [`${emulator.baseUrl}/_emulator/`, `${made.control_url}/_emulator/`]
    for (const url of documents) {
      const answer = await fetch(url)
      const text = await answer.text()
      expect(answer.status).toBe(200)
      for (const secret of [emulator.token, emulator.clientSecret, emulator.user.name])
        expect(text).not.toContain(secret)
      const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file)
      expect(files).toHaveLength(3)
      for (const file of files) expect((await fetch(new URL(file, url))).status, file).toBe(200)
    }
    const { status, headers } = await fetch(`${emulator.baseUrl}/_emulator`, { redirect: 'manual' })
    expect([status, headers.get('location')]).toEqual([308, '_emulator/'])
    expect((await steer('control.requests.list')).total).toBe(0)
  })

  test('allows nothing but its own files, no frames, and no markup from strings', async () => {
    const { emulator } = await startWorld()
    const { headers } = await fetch(`${emulator.baseUrl}/_emulator/`)
    const policy = (headers.get('content-security-policy') ?? '').split('; ')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("connect-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy.join()).not.toMatch(/unsafe|data:|\*/)
    expect(headers.get('set-cookie')).toBeNull()
  })

  test.each(['..%2F..%2Fpackage.json', '%2e%2e%2fpage.ts', 'nothing.js'])('has no file %s', async (file) => {
    const { emulator } = await startWorld()
    expect((await fetch(`${emulator.baseUrl}/_emulator/page/${file}`)).status).toBe(404)
  })

  test('answers under no name of another machine', async () => {
    const { ask } = await startWorld()
    expect(
      (await ask('control.page.enter', { body: { code: 'x'.repeat(22) } }, { Host: 'attacker.example' })).status,
    ).toBe(421)
  })

  test('has at most 60 KB of script and style, gzipped, in all languages', () => {
    const folder = new URL('../../../dist/page/', import.meta.url)
    const sizes = readdirSync(folder)
      .filter((name) => /\.(js|css)$/.test(name))
      .map((name) => gzipSync(readFileSync(new URL(name, folder))).length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60 * 1024)
  })
})

describe('the page of a world that is missing', () => {
  const html = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

  test.each([
    ['en-US,en;q=0.9', 'The world shop has ended', /It was deleted at <time>2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d UTC</],
    ['es-CR', 'El mundo shop ya terminó', /Se eliminó el <time>/],
  ])(
    'because it ended says so to a browser that prefers %s, and leads to the emulator’s page',
    async (language, title, detail) => {
      const { emulator, make, steer } = await startWorld()
      const { made } = await make({ name: 'shop' })
      await steer('control.worlds.delete', { params: { name: 'shop' } })
      for (const path of ['/_emulator/', '/_emulator?x=1']) {
        const answer = await fetch(`${made.control_url}${path}`, { headers: { ...html, 'Accept-Language': language } })
        const text = await answer.text()
        expect([answer.status, answer.headers.get('content-type')]).toEqual([410, 'text/html; charset=utf-8'])
        expect(text).toContain(`<h1>${title}</h1>`)
        expect(text).toMatch(detail)
        const [, home = ''] = /<a href="([^"]+)"/.exec(text) ?? []
        expect(new URL(home, answer.url).href).toBe(`${emulator.baseUrl}/_emulator/`)
      }
      // A request for the page does not count: a person reloads it, not the program under test.
      expect((await steer('control.report')).late.count).toBe(0)
    },
  )

  test('because it never was, whatever its name', async () => {
    const { emulator } = await startWorld()
    const answer = await fetch(`${emulator.baseUrl}/w/nobody/_emulator/`, { headers: html })
    const text = await answer.text()
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store'])
    expect(text).toContain('<h1>There is no world nobody</h1>')
    expect(text).toContain('href="../../../_emulator/"')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test.each([
    ['/w/gone/_emulator/', undefined, 404],
    ['/w/gone/_emulator/', 'application/json', 404],
    ['/w/gone/_emulator/', 'application/json, text/html;q=0.5', 404],
    ['/w/gone/_emulator/state', html.Accept, 404],
  ])('at %s is JSON for a client that accepts %s', async (path, accept, status) => {
    const { emulator } = await startWorld()
    const answer = await fetch(`${emulator.baseUrl}${path}`, {
      headers: accept === undefined ? {} : { Accept: accept },
    })
    expect([answer.status, await answer.json()]).toMatchObject([
      status,
      { success: false, message: expect.stringContaining('World gone does not exist') },
    ])
  })
})

describe('a code that opens the page', () => {
  test('gives the control token once; the second use is refused and noted', async () => {
    const notes: string[] = []
    const { ask, emulator } = await startWorld({ ...secrets, onNotice: (text) => notes.push(text) })
    const authorization = { Authorization: `Bearer ${secrets.controlToken}` }
    const { data } = (await ask('control.page.code', {}, authorization)).body
    const { code, url } = data as { code: string; url: string }
    expect(url).toBe(`${emulator.baseUrl}/_emulator/#code=${code}`)

    const first = await ask('control.page.enter', { body: { code } })
    expect(first.body.data).toEqual({ control_token: secrets.controlToken })
    expect(notes).toEqual([])

    const second = await ask('control.page.enter', { body: { code } })
    expect([second.status, second.body.data]).toEqual([409, null])
    expect(notes).toEqual([expect.stringContaining('opened twice')])
  })

  test('is made only for somebody with the control token, and exchanged only by a page of the emulator', async () => {
    const { ask } = await startWorld(secrets)
    expect((await ask('control.page.code')).status).toBe(401)
    const authorization = { Authorization: `Bearer ${secrets.controlToken}` }
    const { code } = (await ask('control.page.code', {}, authorization)).body.data as { code: string }
    const foreign = { Origin: 'https://attacker.example' }
    expect((await ask('control.page.enter', { body: { code } }, foreign)).status).toBe(403)
    expect((await ask('control.page.enter', { body: { code } })).status).toBe(200)
    expect((await ask('control.page.enter', { body: { code: 'x'.repeat(22) } })).status).toBe(404)
  })

  test('is worthless after 60 seconds', () => {
    const time = new ManualTime(Date.UTC(2026, 0, 5))
    const codes = new PageCodes({ controlToken: 'x', clock: new Clock(undefined, time) })
    const [early, late] = [codes.make(), codes.make()]
    time.advance(59_000)
    expect(codes.exchange(early.code)).toBe('x')
    time.advance(1000)
    expect(() => codes.exchange(late.code)).toThrow(expect.objectContaining({ status: 404 }))
  })
})
