import { chmodSync, existsSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { loggedInMachine } from '../auth/logged_in.ts'
import { startStrictService } from '../auth/strict_service.ts'
import { builtPayctl } from '../commands/payments/built_payctl.ts'
import { account, phone, startService } from '../commands/payments/service.ts'
import { english, expectNoEnglish, type Pair, spanish, writePage } from './screens.ts'

// Errors and notes in Spanish about a result or a login that can't be written.

const pairs: Pair[] = []
afterAll(() => writePage('unsaved.html', pairs))

/** Compares stderr in both languages, and saves it for the page. */
function expectInSpanish(name: string, [original, text]: readonly [string, string], says: RegExp): void {
  pairs.push({ name, texts: [original, text] })
  expect(original).not.toMatch(says)
  expect(text.replace(/\s+/g, ' ')).toMatch(says)
  expectNoEnglish(text, name)
}

describe.runIf(existsSync('/dev/full'))('stdout that is full', () => {
  const payment = ['payments', 'send', '--from', account, '--to', phone, '--amount', '5', '--yes']

  it.each([
    ['of a lookup', ['phone', phone], 2, /No se puede escribir la salida: .*ENOSPC.*\. Libere espacio en el destino/],
    ['of help', ['payments', 'send', '--help'], 2, /No se puede escribir la salida/],
    ['of a payment', payment, 10, /El pago \S+ se envió, pero no se pudo escribir su resultado: .*ENOSPC/],
  ])('%s is an error in Spanish', async (name, argv, exit, says) => {
    const ran = async (language: string) => {
      const service = await startService()
      const cli = builtPayctl({ base_url: service.url, token: 'token-of-the-test' })
      const { code, stderr } = await cli.start([...argv, '--lang', language], { shell: 'exec > /dev/full' }).finished
      expect(code).toBe(exit)
      return stderr
    }

    expectInSpanish(`stdout is full: ${name}`, [await ran('en'), await ran('es')], says)
  })
})

describe('a login that is renewed', () => {
  it('but can’t be saved, because others can change the folder now', async () => {
    const ran = async (env: Readonly<Record<string, string>>) => {
      let folder = ''
      const service = await startStrictService({
        onRefresh() {
          chmodSync(folder, 0o777)
          return true
        },
      })
      const { start, configDir } = await loggedInMachine(service, { expiresIn: -1000 })
      folder = configDir
      const { exitCode, stderr } = await start(['user'], { env })
      expect({ exitCode, refreshes: service.refreshes }).toEqual({ exitCode: 0, refreshes: 1 })
      return String(stderr)
    }

    const says =
      /No se pudo guardar la sesión renovada, así que deberá ingresar otra vez: Otros usuarios de este equipo/
    expectInSpanish('a renewed login that is not saved', [await ran(english), await ran(spanish)], says)
  })

  it('later, because the service does not answer now', async () => {
    const ran = async (env: Readonly<Record<string, string>>) => {
      const service = await startStrictService({
        onRefresh(response) {
          response.writeHead(503).end()
          return false
        },
      })
      const { start } = await loggedInMachine(service, { expiresIn: 30_000 })
      const { exitCode, stderr } = await start(['user', '--retries', '0'], { env })
      expect(exitCode).toBe(0)
      return String(stderr)
    }

    const says = /La sesión vence \(.*\) y aún no se pudo renovar: El servidor OAuth respondió 503/
    expectInSpanish('a login that is not renewed yet', [await ran(english), await ran(spanish)], says)
  })
})
