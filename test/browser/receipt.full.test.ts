import { mkdirSync, writeFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { payctl } from '../commands/payments/payctl.ts'
import { completedPayment, startService } from '../commands/payments/service.ts'
import { describeInBrowser } from './chromium.ts'
import { launchBrowser } from './launch.ts'
import { overflow } from './measures.ts'

let browser: Browser

const completed = completedPayment('Factura 117, repuestos y mano de obra')

const long = 'Ñandú <b>“&amp;”</b> Compañía de Responsabilidad Limitada '.repeat(6)

const hostile = {
  ...completed,
  status: 'failed',
  error_message: `<script>document.title='x'</script>${'W'.repeat(300)}`,
  description: `<img src=http://127.0.0.1:9/x onerror="document.title='x'">${'ancho'.repeat(60)}`,
  payer: { ...completed.payer, name: long },
  payee: { ...completed.payee, name: `${long}${'m'.repeat(400)}`, phone_number: '87000001' },
  sinpe_reference: '9'.repeat(400),
  channel_reference: '8'.repeat(400),
}

/** The page of a receipt in a browser, with its requests and its console messages. */
async function opened(payment: object, viewport: { width: number; height: number }, headers = {}) {
  const service = await startService()
  Object.assign(service.headers, headers)
  service.before = () => [200, payment]
  const { stdout } = await payctl(service.url).run('payments', 'receipt', completed.id, '--html', '-')
  const context = await browser.newContext({ viewport })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const noise: string[] = []
  page.on('console', (message) => noise.push(message.text()))
  page.on('request', (request) => noise.push(request.url()))
  await page.setContent(stdout)
  return { page, noise }
}

const pagesOf = (pdf: Buffer): number => pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0

/** Draws and saves a file only if SCREENSHOTS=folder is set, because Chromium sometimes fails to draw. */
async function keep(name: string, drawn: () => Promise<Buffer>): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/${name}`, await drawn())
}

describeInBrowser('a receipt in a browser', () => {
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  test.each([
    ['completed', completed, {}],
    ['of an emulator', completed, { 'X-Emulator-World': 'some world' }],
    ['hostile', hostile, {}],
  ])('%s: loads and runs nothing, and is one sheet', async (name, payment, headers) => {
    const { page, noise } = await opened(payment, { width: 900, height: 1200 }, headers)

    expect(noise).toEqual([])
    expect(await page.title()).not.toBe('x')
    expect(await page.locator('script, img, link, iframe, b').count()).toBe(0)
    for (const format of ['A4', 'Letter'] as const) {
      const pdf = await page.pdf({ format })
      await keep(`receipt ${name} ${format}.pdf`, async () => pdf)
      expect({ format, pages: pagesOf(pdf) }).toEqual({ format, pages: 1 })
    }
    await keep(`receipt ${name}.png`, () => page.screenshot({ fullPage: true }))
  })

  test.each([320, 900])('fits a screen of %i pixels', async (width) => {
    const { page } = await opened(hostile, { width, height: 800 })
    expect(await overflow(page)).toBe(0)
    await keep(`receipt ${width}.png`, () => page.screenshot({ fullPage: true }))
  })
})
