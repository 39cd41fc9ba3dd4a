import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../browser/launch.ts'
import { requestsPerSecond } from './load.ts'
import { compare, type Row } from './ratio.ts'
import { payment, portOf, post } from './requests.ts'
import { payctl, type ServerProcess, startServer } from './server_process.ts'

const rounds = 7

const emulate = () =>
  startServer(() =>
    [payctl, 'emulate', '--json', '--port', '0', '--settle', 'manual'].concat(['--rate-limit', '999999999/min']),
  )

/** Figures of the live page, compared with the same document without script and style, or with a budget. */
export async function pageRows(): Promise<Row[]> {
  const emulator = await emulate()
  const browser = await launchBrowser()
  try {
    const rows = [sizeRow(), await firstPaint(browser, emulator), await commitToScreen(browser, emulator)]
    rows.push(await postsWithPage(browser, emulator))
    return [...rows, ...(await longTasks(browser))]
  } finally {
    await browser.close()
    await emulator.stop()
  }
}

/** A figure with a limit instead of a baseline. */
const limited = (what: string, unit: string, limit: number, candidate: number): Row => ({
  what,
  unit,
  baseline: limit,
  candidate,
  ratio: candidate / limit,
  budget: 1,
  better: 'less',
})

function sizeRow(): Row {
  const folder = new URL('../../dist/page/', import.meta.url)
  const sizes = readdirSync(folder)
    .filter((name) => /\.(js|css)$/.test(name))
    .map((name) => gzipSync(readFileSync(new URL(name, folder))).length)
  return limited('page: script and style, gzipped', 'KiB', 60, sizes.reduce((sum, size) => sum + size, 0) / 1024)
}

const addressOf = ({ ready }: ServerProcess): string => `${ready.base_url}/_emulator/`

/** Opens the page, in a browser without a cache, and waits until it is live. */
async function openPage(browser: Browser, emulator: ServerProcess): Promise<Page> {
  const page = await browser.newPage({ locale: 'en-GB' })
  await page.goto(addressOf(emulator))
  await page.locator('.live.on').waitFor()
  return page
}

/**
 * Opens the page's document without its script and style, so that only the text for browsers without scripts is shown.
 */
async function openFloor(browser: Browser, emulator: ServerProcess): Promise<Page> {
  const page = await browser.newPage({ javaScriptEnabled: false })
  await page.route(/\.(js|css|svg)$/, (route) => route.abort())
  await page.goto(addressOf(emulator))
  return page
}

/** Milliseconds from the first byte of the document to the first paint of text. */
function firstPaint(browser: Browser, emulator: ServerProcess): Promise<Row> {
  const paint = async (open: typeof openPage) => {
    const page = await open(browser, emulator)
    const find = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime`
    let painted: number | undefined
    while (painted === undefined) painted = await page.evaluate(find)
    const answered = Number(await page.evaluate(`performance.getEntriesByType('navigation')[0].responseStart`))
    await page.context().close()
    return painted - answered
  }
  return compare({
    what: 'page: first paint after the answer',
    unit: 'ms',
    budget: 5,
    better: 'less',
    rounds,
    baseline: () => paint(openFloor),
    candidate: () => paint(openPage),
  })
}

/**
 * Milliseconds from the request for a payment to the frame that shows the payment, compared with a page that only reads
 * the stream.
 */
async function commitToScreen(browser: Browser, emulator: ServerProcess): Promise<Row> {
  const floor = await browser.newPage()
  await floor.route(/\.(js|css|svg)$/, (route) => route.abort())
  await floor.goto(addressOf(emulator))
  await floor.evaluate(`new Promise((opened) => {
    const stream = new EventSource('events')
    stream.onopen = opened
    stream.addEventListener('payment', () => requestAnimationFrame(() => { globalThis.shownAt = Date.now() }))
  })`)
  const baseline = await delaysOf(floor, emulator)
  await floor.context().close()

  const page = await openPage(browser, emulator)
  await page.evaluate(`{
    const newest = () => document.querySelector('[data-row]')?.dataset.row
    let last = newest()
    new MutationObserver(() => {
      if (newest() === last) return
      last = newest()
      requestAnimationFrame(() => { globalThis.shownAt = Date.now() })
    }).observe(document.body, { subtree: true, childList: true, attributes: true })
  }`)
  const candidate = await delaysOf(page, emulator)
  await page.context().close()
  return {
    what: 'page: payment sent to shown',
    unit: 'ms',
    baseline,
    candidate,
    ratio: candidate / baseline,
    budget: 3,
    better: 'less',
  }
}

/** Median time in milliseconds from the request for a single payment until the page has set `shownAt`. */
async function delaysOf(page: Page, emulator: ServerProcess): Promise<number> {
  const delays: number[] = []
  for (let round = 0; round < 21; round++) {
    await page.evaluate('globalThis.shownAt = undefined')
    const sentAt = Date.now()
    await pay(emulator)
    let shownAt: unknown
    while (!shownAt) shownAt = await page.evaluate('globalThis.shownAt')
    delays.push(Number(shownAt) - sentAt)
  }
  return delays.sort((a, b) => a - b)[10] as number
}

let sequence = 0

async function pay({ ready }: ServerProcess): Promise<void> {
  const answer = await fetch(`${ready.base_url}/api/payments`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${ready.token}`,
      'Content-Type': 'application/json',
      'X-Idempotency-Key': `page-${sequence++}`,
    },
    body: payment,
  })
  await answer.arrayBuffer()
}

/** Rate of POSTs while a browser shows the page, compared with the rate when no page is open. */
async function postsWithPage(browser: Browser, emulator: ServerProcess): Promise<Row> {
  const load = { connections: 8, milliseconds: 1000, port: portOf(emulator), expect: 201 }
  return compare({
    what: 'POST /api/payments with the page open, 8 connections',
    unit: 'requests/s',
    budget: 0.4,
    better: 'more',
    rounds,
    baseline: () => requestsPerSecond({ ...load, request: post(emulator) }),
    async candidate() {
      const page = await openPage(browser, emulator)
      const rate = await requestsPerSecond({ ...load, request: post(emulator) })
      await page.context().close()
      return rate
    },
  })
}

/**
 * Durations of the page's longest tasks: while it opens with 10,000 payments, while they are scrolled from end to end,
 * and while 500 requests a second come in.
 */
async function longTasks(browser: Browser): Promise<Row[]> {
  const emulator = await emulate()
  const load = { connections: 8, port: portOf(emulator), expect: 201, request: post(emulator) }
  let count = 0
  while (count < 10_000) {
    await requestsPerSecond({ ...load, milliseconds: 200 })
    const answer = await fetch(`${emulator.ready.base_url}/_emulator/payments?per_page=1`)
    count = ((await answer.json()) as { data: { total: number } }).data.total
  }
  const page = await browser.newPage({ locale: 'en-GB' })
  await page.addInitScript(`{
    globalThis.longest = 0
    new PerformanceObserver((list) => {
      globalThis.longest = Math.max(globalThis.longest, ...list.getEntries().map(({ duration }) => duration))
    }).observe({ type: 'longtask', buffered: true })
  }`)
  const taken = async () => {
    await page.waitForTimeout(300)
    const longest = Number(await page.evaluate('globalThis.longest'))
    await page.evaluate('globalThis.longest = 0')
    return longest
  }
  await page.goto(addressOf(emulator))
  await page.locator('.live.on').waitFor()
  const opened = await taken()
  await page.evaluate(`new Promise((done) => {
    const box = document.querySelector('.rows')
    let step = 0
    const scroll = () => {
      box.scrollTop = (box.scrollHeight / 120) * ++step
      if (step < 120) requestAnimationFrame(scroll)
      else { box.scrollTop = 0; done() }
    }
    scroll()
  })`)
  const scrolled = await taken()
  const rate = await sendEvenly(emulator, 500, 5)
  const loaded = await taken()
  await page.context().close()
  await emulator.stop()
  return [
    limited('page: longest task, opening 10,000 payments', 'ms', 50, opened),
    limited('page: longest task, scrolling 10,000 payments', 'ms', 50, scrolled),
    limited(`page: longest task at ${Math.round(rate)} requests/s`, 'ms', 50, loaded),
  ]
}

/** Sends payments at an even rate over eight connections, as far as the emulator keeps up. Returns the rate. */
async function sendEvenly(emulator: ServerProcess, rate: number, seconds: number): Promise<number> {
  const started = performance.now()
  let sent = 0
  const lane = async () => {
    while (performance.now() - started < seconds * 1000) {
      if (sent >= (performance.now() - started) * (rate / 1000)) await new Promise((resolve) => setTimeout(resolve, 2))
      else {
        sent++
        await pay(emulator)
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, lane))
  return sent / seconds
}
