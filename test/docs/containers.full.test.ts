import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { endpoints } from '../../src/contract/index.ts'
import { exchangeOverHttp } from '../conformance/http_exchange.ts'
import { freshMachine } from '../support/installed_payctl.ts'
import { payctlCommand } from '../support/program.ts'

const examples = new URL('../../docs/examples/containers/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, examples), 'utf8')

/** The words of an instruction in the Dockerfile, from its JSON form. */
const words = (instruction: string): readonly string[] => {
  const [, json = '[]'] = new RegExp(`^${instruction} +(\\[.+\\])$`, 'm').exec(read('Dockerfile')) ?? []
  return JSON.parse(json)
}

it('the emulator of the examples answers the other containers, is healthy, and ends at SIGTERM', async () => {
  const { env, home } = await freshMachine()
  const { services, secrets } = parse(read('compose.yaml'))
  const { environment, command } = services.emulator
  const mounted = (variable: string): string => environment[variable].replace('/run/secrets', home)
  for (const [at, name] of Object.keys(secrets).entries()) {
    writeFileSync(join(home, name), `${String(at)}c0ffee5ec7e7-of-the-test\n`)
  }
  const files = Object.fromEntries(Object.keys(environment).map((name) => [name, mounted(name)]))
  const [program, ...entry] = words('ENTRYPOINT')
  expect(program).toBe('payctl')
  const settings = { env: { ...env, ...files }, extendEnv: false, reject: false }
  const container = execa(...payctlCommand([...entry, ...command, '--port', '0']), settings)
  onTestFinished(() => void container.kill('SIGKILL'))

  const [, ...health] = words('    CMD')
  expect(await execa(...payctlCommand(health), settings)).toMatchObject({ exitCode: 0 })
  expect(await execa(...payctlCommand(['emulator', 'reset']), settings)).toMatchObject({ exitCode: 0 })

  const { stdout } = await execa(...payctlCommand(['emulator', 'list', '--json']), settings)
  const [{ base_url }] = JSON.parse(stdout)
  const { PAYMENTS_URL, PAYMENTS_TOKEN_FILE } = services.tests.environment
  const token = readFileSync(PAYMENTS_TOKEN_FILE.replace('/run/secrets', home), 'utf8').trim()
  const answer = await exchangeOverHttp(new URL(base_url), {
    method: 'GET',
    url: endpoints['accounts.list'].path,
    headers: { Host: new URL(PAYMENTS_URL).host, Authorization: `Bearer ${token}` },
  })
  expect(answer.status).toBe(200)
  expect(JSON.parse(answer.text).data.path).toBe(`${PAYMENTS_URL}${endpoints['accounts.list'].path}`)
  container.kill('SIGTERM')
  expect(await container).toMatchObject({ exitCode: 0 })
})
