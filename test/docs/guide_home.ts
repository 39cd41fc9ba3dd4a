import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { onTestFinished } from 'vitest'
import { demo } from '../../emulator/worlds/seed.ts'
import type { Ready } from '../../src/config/running_emulators.ts'
import { allScopes } from '../../src/contract/index.ts'
import { xlsxBytes } from '../../src/sheets/write_xlsx.ts'
import { payctlInShell } from '../support/program.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { serve } from '../support/server.ts'
import { blocksOf } from './guide_blocks.ts'
import { payrollFiles } from './payroll.ts'

/** The seeded account in colones. */
export const account = '01900000-0000-7000-8000-0000000000c1'

type Variables = Readonly<Record<string, string>>

/** The machine of a reader of a guide: payctl on the PATH, and the files that the page names. */
export async function guideHome(page: string) {
  const home = await temporaryDirectory()
  const bin = join(home, 'node_modules/.bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'payctl'), `#!/bin/sh\nexec ${payctlInShell} "$@"\n`)
  chmodSync(join(bin, 'payctl'), 0o755)
  writeFileSync(join(bin, 'browser'), consenting)
  chmodSync(join(bin, 'browser'), 0o755)
  for (const [name, content] of Object.entries(await files(page))) writeFileSync(join(home, name), content)
  const env: Variables = {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: home,
    TZ: 'UTC',
    TERM: 'xterm',
    NO_COLOR: '1',
    LC_ALL: 'C.UTF-8',
    BROWSER: join(bin, 'browser'),
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? '',
  }
  /** Runs payctl and returns its stdout. */
  const run = async (args: readonly string[], more: Variables = {}): Promise<string> => {
    const settings = { cwd: home, env: { ...env, ...more }, extendEnv: false, reject: false }
    return String((await execa('payctl', args, settings)).stdout)
  }
  onTestFinished(async () => void (await run(['emulator', 'stop', '--all'])))
  return {
    home,
    env,
    run,
    /** Starts an emulator in the background. */
    emulator: async (options: readonly string[]): Promise<Ready> =>
      JSON.parse(await run(['emulate', '--detach', '--port', '0', '--json', ...options])),
  }
}

/** A browser whose user allows everything on the consent page. */
const consenting = `#!/usr/bin/env node
const form = ${JSON.stringify([['user', demo.user.id], ['decision', 'allow'], ...allScopes.map((scope) => ['grant', scope])])}
const body = new URLSearchParams(form)
fetch(process.argv.at(-1), { method: 'POST', body, redirect: 'manual' }).then(({ headers }) => fetch(headers.get('location')))
`

const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join('')

const workbook = (csv: string): Promise<Buffer> => {
  const rows = csv.trimEnd().split('\n')
  const cells = rows.map((row) => row.split(',').map((text) => ({ text, kind: 'text' as const })))
  return xlsxBytes({ name: 'Hoja1', rows: cells })
}

/** Customers in the form in which Excel with Spanish settings saves them, except for the encoding. */
const listFromExcel = [
  'Cliente;Cédula;Teléfono;Saldo',
  'Carlos Jiménez Mora;3-0493-0258;8700-0001;1.500,25',
  'Vargas Solano Ana Lucía;2-0567-0891;87000002;20.000,00',
  'Ana Vargas;205670891;8700-0002;1,00',
  'Ferretería El Roble Sociedad Anónima;3101234567;8700 0003;350.000,00',
  'José Araya Núñez;;8700-0099;',
  'Luis;;8700-00;',
  '',
].join('\r\n')

async function files(page: string): Promise<Readonly<Record<string, string | Uint8Array>>> {
  const shown = (language: string) => blocksOf(page).find((block) => block.language === language)?.text ?? ''
  const customers = lines('Cliente,Teléfono,IBAN', 'Ana,8700-0001,', 'Luis,8700-0002,CR73 0151 0010 0000 0000 01')
  const salaries = lines('Teléfono,Monto,Detalle,Puesto', '8700-0002,1500.25,Salario de noviembre,Ventas')
  const scripts = blocksOf(page).flatMap(({ language, file, text }) =>
    language === 'sh' && file ? [[file, text]] : [],
  )
  return {
    ...Object.fromEntries(scripts),
    'package.json': '{ "scripts": { "test": "payctl accounts list" } }',
    'november.csv': shown('csv'),
    'world.yaml': shown('yaml'),
    'chaos.yaml': shown('yaml'),
    'nomina.xlsx': await workbook(salaries),
    'salaries.csv': lines(
      'to,amount,description,from',
      `8700-0003,3000000,Aguinaldo de noviembre,${account}`,
      `8700-0002,20000,Salario de noviembre,${account}`,
    ),
    'customers.csv': customers,
    'clientes.xlsx': await workbook(customers),
    'ibans.txt': lines('CR73 0151 0010 0000 0000 01'),
    ...(page === 'day-treasurer.md' && (await payrollFiles())),
    ...(page === 'day-support.md' && { 'clientes.csv': Buffer.from(listFromExcel, 'latin1') }),
    'token.txt': lines('payctl-demo-token'),
    'secret.txt': lines('a-secret-of-the-test'),
    'shop.secret': lines('shop-secret-of-the-test'),
  }
}

export type GuideHome = Awaited<ReturnType<typeof guideHome>>

/** Starts a server that accepts every POST, and returns the server's port. */
export async function receiver(): Promise<string> {
  const url = await serve((request, response) => {
    request.resume().on('end', () => response.end('taken'))
  })
  return new URL(url).port
}
