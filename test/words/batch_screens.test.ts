import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { xlsxBytes } from '../../src/sheets/write_xlsx.ts'
import { type ComparedScreen, english, expectSameJson, expectSpanish, runsAtEmulator, spanish } from './screens.ts'

// The screens of a treasurer: batches of payments in both languages.

const description = 'Salario de noviembre de 2026'

/** Files of payments, by name. */
const files: Readonly<Record<string, string>> = {
  'nomina.csv':
    'to,amount,description\n' +
    ['87000001', '87000002', '87000014', '87000009', '87000013']
      .map((to) => `${to},1500.25,${description}\n`)
      .join('') +
    `87000003,4900000.00,${description}\n`,
  'nueva.csv': `to,amount\n87000001,9000.00\n87000001,1500.25\n87000001,1500.25\n87000004,12.50\nTOTAL,12013.00\n`,
  'otra.csv': `to,amount,description\n87000001,1500.25,${description}\n87000004,800.00,${description}\n`,
  'mal.csv':
    'to,amount,description,currency,document,date\n' +
    '8700-0001,1.500,,,,\n8700-0002,abc,,,,\n8888123,-5,corto,,,\nCR05015202001026284067,10.50,,,,\n' +
    ',5000,,,,\n8700-0003,5,,USD,,\n8700-0004,5,,,12,\n8700-0001,5,,,,2026-01-01\n8700-0001,5,,,,ayer\n' +
    '8700-0001,,,,,\n8700-0001,900000000,,,,\n',
  'total.csv': 'to,amount\n8700-0001,1500.25\n8700-0002,1500.25\nTOTAL,5000\n',
  'campos.csv': 'to,amount,Nota\n8700-0001,1500.25,a,b\n',
  'puntos.csv': 'to;amount\n8700-0001;1.500\n8700-0002;10.5\n',
  'titulos.csv': 'Teléfono,Salario\n8700-0001,1500.25\n',
  'sin.csv': 'cosa,otra\nx,y\n',
  'doble.csv': 'to,amount,amount\n8700-0001,1,2\n',
  'parecida.csv': 'to,amount,descripton\n8700-0001,1,x\n',
  'vacia.csv': '',
  'solo.csv': 'to,amount\n',
  'comillas.csv': 'to,amount\n"8700-0001,5\n',
  'lista.xlsx': '%PDF-1.4',
  'pagina.xlsx': '<html><table>',
  'nombres.csv': 'to,amount,name,document\n8700-0001,5,Eva Mora,\n8700-0002,10,,1-0999-0888\n8700-0020,5,Ana,\n',
  'desconocido.csv': 'to,amount\n88881234,5\n',
  'sin_origen.csv': 'to,amount,from\n8700-0001,5,\n8700-0001,5,EUR\n',
}

const batch = (file: string, ...flags: readonly string[]) => ['payments', 'batch', file, '--from', 'CRC', ...flags]

/** Runs against an emulator with a batch that has rows of every outcome. */
async function setUp() {
  const { run, folder } = await runsAtEmulator(files)
  await writeFile(join(folder, 'libro.xlsx'), await xlsxBytes({ name: 'Hoja1', rows: [text('to', 'amount')] }))
  await run(batch('nomina.csv', '--batch-id', '2026-11', '--yes', '--quiet'), english)
  return { run, folder }
}

const text = (...cells: readonly string[]) => cells.map((text) => ({ text, kind: 'text' as const }))

const dryRun = ['--dry-run', '--yes']

const screens: readonly ComparedScreen[] = [
  [
    'dry run of a new list',
    batch('nueva.csv', ...dryRun),
    /De {10,}CR[\s\S]*Inusual[\s\S]*Advertencia[\s\S]*repite otra/,
  ],
  [
    'dry run of a list sent before',
    batch('nomina.csv', '--batch-id', '2026-11', ...dryRun),
    /Omitidas {5}5 enviadas antes/,
  ],
  ['dry run of another list with the same rows', batch('otra.csv', ...dryRun), /repite destinatario y monto/],
  ['wrong rows', batch('mal.csv', ...dryRun), /11 filas tienen errores[\s\S]*línea 3: amount "abc"/],
  ['wrong total', batch('total.csv', ...dryRun), /el total es 5,000\.00, pero los montos/],
  ['too many fields', batch('campos.csv', ...dryRun), /tiene 4 campos y el encabezado 3/],
  ['points in a file with semicolons', batch('puntos.csv', ...dryRun), /se puede leer de dos maneras/],
  ['other headings', batch('titulos.csv', ...dryRun), /ninguno que\s+payctl conozca[\s\S]*Indique cuáles/],
  ['no headings', batch('sin.csv', ...dryRun), /La primera línea no tiene/],
  ['a column twice', batch('doble.csv', ...dryRun), /dos veces la columna 'amount'/],
  ['a misspelt column', batch('parecida.csv', ...dryRun), /¿Quiso decir description\?/],
  ['an empty file', batch('vacia.csv', ...dryRun), /El archivo está vacío/],
  ['headings alone', batch('solo.csv', ...dryRun), /no hay nada que\s+pagar/],
  ['an open quote', batch('comillas.csv', ...dryRun), /La línea 2 no es CSV/],
  ['a PDF', batch('lista.xlsx', ...dryRun), /El archivo es un PDF/],
  ['a web page', batch('pagina.xlsx', ...dryRun), /El archivo es una página web/],
  ['a workbook without rows', batch('libro.xlsx', ...dryRun), /no hay nada que\s+pagar/],
  ['a sheet that is missing', batch('libro.xlsx', '--sheet', 'Dos', ...dryRun), /no tiene la hoja 'Dos'/],
  ['a sheet of a text file', batch('nueva.csv', '--sheet', 'Dos', ...dryRun), /no tiene hojas/],
  ['no such file', batch('nada.csv', ...dryRun), /No se puede leer .*nada\.csv/s],
  ['other holders', batch('nombres.csv', ...dryRun), /está a\s+nombre de/],
  [
    'an unknown payee',
    batch('desconocido.csv', '--check-payees', ...dryRun),
    /el servicio no conoce al destinatario 88881234/,
  ],
  ['accounts to debit', ['payments', 'batch', 'sin_origen.csv', ...dryRun], /from está vacío/],
  ['no account to debit', ['payments', 'batch', 'nueva.csv', ...dryRun], /falta la columna from/],
  ['a result file of another format', batch('nueva.csv', '--output-file', 'x.pdf', '--yes'), /debe terminar en/],
  ['a result file that is the file itself', batch('nueva.csv', '--output-file', 'nueva.csv', '--yes'), /es el mismo/],
  ['a file of refused rows that exists', batch('nueva.csv', '--rejects-file', 'otra.csv', '--yes'), /ya existe/],
  ['a batch', ['payments', 'batch', 'show', '2026-11'], /Lote 2026-11, nomina\.csv[\s\S]*TITULAR[\s\S]*rechazad/],
  ['batches', ['payments', 'batch', 'list'], /LOTE +FECHA[\s\S]*completadas?, /],
  ['no such batch', ['payments', 'batch', 'show', 'zz'], /no hay ningún lote zz/],
  ['no batch to resume', ['payments', 'resume', '--batch', 'zz', '--yes'], /no hay ningún lote zz/],
  ['a batch without open rows', ['payments', 'resume', '--batch', '2026-11', '--yes'], /no tiene filas pendientes/],
  ['no batch to retry', ['payments', 'batch', 'retry', 'zz', '--yes'], /no hay ningún lote zz/],
  ['no payment in doubt', ['payments', 'resume'], /No hay pagos sin confirmar/],
  ['payments of this machine', ['payments', 'outbox'], /HOY[\s\S]*MONTO[\s\S]*ESTADO[\s\S]*rechazado/],
  ['their worlds', ['payments', 'outbox', '--columns', 'amount,world_status'], /ESTADO DEL MUNDO[\s\S]*apagado/],
  ['one of them', ['payments', 'outbox', 'last'], /Creado[\s\S]*Cuenta de origen/],
  ['payments of a period without any', ['payments', 'outbox', '--until', '2020-01-01'], /No hay intentos de pago/],
  ['no such intent', ['payments', 'outbox', 'int_fffffffffff'], /intento de pago/],
]

describe('A batch under es_CR.UTF-8', () => {
  it('prints the same JSON, byte for byte', async () => {
    await expectSameJson(screens, (await setUp()).run)
  })

  it('writes the same csv and result files', async () => {
    const { run, folder } = await setUp()
    await run(['payments', 'batch', 'show', '2026-11', '--quiet'], english) // reads the statuses
    const results = []
    for (const language of [english, spanish]) {
      const { stdout } = await run(['payments', 'batch', 'list', '-o', 'csv'], language)
      await run(['payments', 'batch', 'show', '2026-11', '--output-file', 'r.csv'], language)
      results.push({ stdout, file: readFileSync(join(folder, 'r.csv'), 'utf8') })
    }
    expect(results[1]).toEqual(results[0])
    expect(results[1]?.file).toMatch(/^line,reference,to,amount[\s\S]*rejected/)
  })

  it('prints the reasons why rows are wrong for the person who corrects them', async () => {
    const { run, folder } = await setUp()
    await run(batch('total.csv', '--rejects-file', 'malas.csv', '--yes'), spanish)
    expect(readFileSync(join(folder, 'malas.csv'), 'utf8')).toBe(
      'to,amount,reason\nTOTAL,5000,"el total es 5,000.00, pero los montos de arriba suman 3,000.50"\n',
    )
  })

  it.each([[['payments', 'batch', 'list']], [['payments', 'batch', 'show', '2026-11']], [['payments', 'outbox']]])(
    'names all columns of %j in Spanish',
    async (argv) => {
      const { run } = await setUp()
      const headings = async (language: Readonly<Record<string, string>>) =>
        (await run([...argv, '-o', 'wide', '--quiet'], language, 500)).stdout.split('\n')[0]?.split(/ {2,}/) ?? []
      const [there, here] = [await headings(english), await headings(spanish)]
      expect(here.length).toBeGreaterThan(5)
      expect(here.filter((name) => name !== 'ID' && there.includes(name))).toEqual([])
    },
  )

  it.each([40, 80, 140])('fits in a terminal of %i columns, and says everything in Spanish', async (width) => {
    const { run } = await setUp()
    await expectSpanish(screens, width, { run, page: 'batches.html' })
  })
})
