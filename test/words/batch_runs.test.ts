import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import {
  account,
  dropPayments,
  hideHistory,
  isPayment,
  loseAnswers,
  phone,
  recover,
  type Service,
  startService,
} from '../commands/payments/service.ts'
import type { Finished } from '../support/run_payctl.ts'
import { english, expectNoEnglish, type Pair, runsAt, spanish, withoutProgress, writePage } from './screens.ts'

// Batches that send: their results, failures and advice in both languages.

interface World {
  readonly service: Service
  /** Runs `payctl payments` at a terminal of 80 columns. */
  readonly run: (argv: readonly string[], signal?: AbortSignal) => Promise<Finished>
  /** Writes a file of payments and returns its path. */
  readonly file: (name: string, ...rows: readonly string[]) => string
  readonly folder: string
}

async function world(language: Readonly<Record<string, string>>): Promise<World> {
  const service = await startService()
  const { run, folder } = await runsAt({ baseUrl: service.url, token: 'token-of-the-test' })
  return {
    service,
    folder,
    run: (argv, signal) => run(argv, language, 80, signal),
    file(name, ...rows) {
      const path = join(folder, name)
      writeFileSync(path, ['to,amount,description,from', ...rows].join('\n'))
      return path
    },
  }
}

const row = (amount: string, text = ''): string => `${phone},${amount},${text},${account}`
const three = [row('1.10'), row('1.11'), row('1.12')]
const pay = (file: string, ...flags: readonly string[]) => ['payments', 'batch', file, '--retries', '0', ...flags]
const named = ['--batch-id', 'nomina', '--yes']

/** Refuses payments of more than 1.11 CRC. */
function refuseLarge(service: Service): void {
  service.before = (request) =>
    isPayment(request) && Number(request.body.amount) > 111 ? [422, 'Insufficient balance.'] : undefined
}

type Scenario = (world: World) => Promise<Finished>

/** A batch whose answers are lost, and whose payments the history does not have. */
const lost: Scenario = ({ service, file, run }) => {
  loseAnswers(service)
  hideHistory(service)
  return run(pay(file('a.csv', ...three), ...named))
}

const scenarios: readonly (readonly [name: string, run: Scenario, spanish: RegExp])[] = [
  ['paid', ({ file, run }) => run(pay(file('a.csv', ...three), ...named)), /3 de 3 filas enviadas: 3\.33 CRC.* nomina/],
  [
    'paid before',
    async ({ file, run }) => {
      await run(pay(file('a.csv', ...three), ...named))
      return run(pay(file('a.csv', ...three), ...named))
    },
    /No queda nada por enviar: 3 enviadas antes.*<otro nombre>/,
  ],
  [
    'a row refused',
    ({ service, file, run, folder }) => {
      refuseLarge(service)
      return run(pay(file('a.csv', ...three), ...named, '--rejects-file', join(folder, 'malas.csv')))
    },
    /filas rechazadas están en.*línea 4 .*Saldo insuficiente.*2 de 3 filas enviadas, 1 rechazada/,
  ],
  [
    'the refused row again',
    async ({ service, file, run }) => {
      refuseLarge(service)
      await run(pay(file('a.csv', ...three), ...named))
      return run(['payments', 'batch', 'retry', 'nomina', '--yes', '--retries', '0'])
    },
    /1 fila rechazada: Saldo insuficiente\. \(línea 4\).*Enviando 1 fila del lote nomina otra vez/,
  ],
  [
    'nothing to send again',
    async ({ file, run }) => {
      await run(pay(file('a.csv', ...three), ...named))
      return run(['payments', 'batch', 'retry', 'nomina', '--yes'])
    },
    /Ninguna fila del lote nomina fue rechazada ni falló/,
  ],
  ['answers lost', lost, /3 sin confirmar \(es posible que el dinero se haya movido\)/],
  [
    'a batch in doubt again',
    async (at) => {
      await lost(at)
      return at.run(pay(at.file('a.csv', ...three), '--batch-id', 'nomina', '--dry-run'))
    },
    /Sin confirmar +3: no están en el historial/,
  ],
  [
    'a batch in doubt resumed',
    async (at) => {
      await lost(at)
      recover(at.service)
      return at.run(['payments', 'resume', '--batch', 'nomina', '--yes'])
    },
    /Buscando el resultado de 3 filas sin confirmar del lote nomina, que se envió en/,
  ],
  [
    'all payments in doubt resumed',
    async (at) => {
      await lost(at)
      return at.run(['payments', 'resume', '--retries', '0'])
    },
    /Buscando el resultado de 3 pagos.*3 de 3 pagos siguen sin confirmar/,
  ],
  [
    'a batch in doubt, changed',
    async (at) => {
      await lost(at)
      return at.run(pay(at.file('a.csv', row('1.10'), row('2.11'), row('1.12')), ...named))
    },
    /1 fila enviada junto con las de este archivo está sin confirmar/,
  ],
  [
    'a file with rows of another one',
    async ({ file, run }) => {
      await run(pay(file('a.csv', ...three), '--yes'))
      return run(pay(file('b.csv', ...three, row('5')), '--yes'))
    },
    /3 de 4 filas repiten lo que ya se envió desde otro archivo: 3 enviadas antes/,
  ],
  [
    'a file with descriptions in another spelling',
    async ({ file, run }) => {
      await run(pay(file('a.csv', row('5', 'Salario de noviembre MARÍA')), '--yes'))
      return run(pay(file('b.csv', row('5', 'Salario de noviembre Maria')), '--yes'))
    },
    /1 fila pide un pago que ya se envió con el detalle escrito de otra forma/,
  ],
  [
    'interrupted',
    ({ service, file, run }) => {
      const interruption = new AbortController()
      service.before = (request) => {
        if (isPayment(request)) interruption.abort()
        return undefined
      }
      return run(pay(file('a.csv', ...three), ...named, '--concurrency', '1'), interruption.signal)
    },
    /Interrumpido\. 1 de 3 filas enviadas, 2 sin enviar\..*Para continuar/,
  ],
  [
    'a service that does not answer',
    ({ service, file, run }) => {
      dropPayments(service)
      const rows = Array.from({ length: 14 }, (_, at) => row(`1.${10 + at}`))
      return run(pay(file('a.csv', ...rows), ...named, '--concurrency', '1'))
    },
    /El servicio no dio una respuesta clara para 10 filas seguidas/,
  ],
  [
    'a token that the service refuses meanwhile',
    ({ service, file, run }) => {
      service.before = (request) => (isPayment(request) ? [401, 'Unauthenticated.'] : undefined)
      return run(pay(file('a.csv', ...three), ...named))
    },
    /0 de 3 filas enviadas, 3 sin enviar\. El servicio no aceptó el token/,
  ],
  [
    'amounts above a limit',
    async ({ file, run }) => {
      await run(['limits', 'set', '--per-payment', '1.10', 'CRC'])
      return run(pay(file('a.csv', ...three), ...named))
    },
    /2 filas no son válidas \(líneas 3, 4\).*líneas 3 y 4: Los límites del perfil default permiten 1\.10 CRC por pago/,
  ],
  [
    'a journal that is damaged',
    ({ folder, file, run }) => {
      writeFileSync(join(folder, 'journal.db'), 'not a database, but long enough to look like one'.repeat(100))
      return run(pay(file('a.csv', ...three), ...named))
    },
    /No se puede usar el registro de pagos .*: (?:el archivo no es una base de datos|está dañado)\. Este comando/,
  ],
  [
    'a batch in the middle, its list',
    async ({ service, file, run }) => {
      const interruption = new AbortController()
      service.before = (request) => {
        if (isPayment(request)) interruption.abort()
        return undefined
      }
      await run(pay(file('a.csv', ...three), ...named, '--concurrency', '1'), interruption.signal)
      return run(['payments', 'batch', 'list'])
    },
    /1 en proceso, 2 sin enviar/,
  ],
  [
    'a result that is awaited',
    ({ service, file, run }) => {
      service.statuses = ['failed']
      return run(pay(file('a.csv', ...three), ...named, '--wait', '--wait-timeout', '5s'))
    },
    /3 de 3 filas enviadas, 0 completadas, 3 terminaron sin pagarse/,
  ],
]

const pairs: Pair[] = []
afterAll(() => writePage('batch_runs.html', pairs))

it.each(scenarios)('says in Spanish: %s', async (name, scenario, says) => {
  const [there, here] = [await scenario(await world(english)), await scenario(await world(spanish))]

  const [original, text] = [there, here].map(({ stderr, stdout }) => withoutProgress(stderr + stdout))
  pairs.push({ name, texts: [original ?? '', text ?? ''] })
  expect(here.code).toBe(there.code)
  expect(text?.replace(/\s+/g, ' ')).toMatch(says)
  expectNoEnglish(text ?? '', name)
})
