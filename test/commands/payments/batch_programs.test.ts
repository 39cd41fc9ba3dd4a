import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readBytes } from '../../sheets/sheet_files.ts'
import { everyNth } from '../../support/full.ts'
import { batchWorld, payees, rowsOf } from './batch_file.ts'

// LibreOffice, Gnumeric and Python wrote these files of one payroll: see test/payments/files.

const fileOf = (name: string): string => fileURLToPath(new URL(`../../payments/files/payroll-${name}`, import.meta.url))

const mapped = ['--map', 'to=telefono o iban,amount=monto,description=detalle', '--from', 'CRC']

/** Each file with the flags of the command that pays it. */
const files: readonly (readonly [name: string, ...flags: string[]])[] = [
  ['libreoffice.xlsx'],
  ['es-cr.csv'],
  ['gnumeric.xlsx'],
  ['tab-utf-16.csv'],
  ['python.csv'],
  ['en-us.csv'],
  ['gnumeric.csv'],
]

const [, phone = ''] = payees

/** These workbooks contain amounts as formulas, so payctl refuses them with --yes. */
const isWorkbook = ([name]: (typeof files)[number]) => name.endsWith('.xlsx')

test.each(files.filter(isWorkbook))('%s, whose amounts are formulas, is refused with --yes', async (name) => {
  const world = await batchWorld()

  const { code, stderr } = await world.batch(fileOf(name), ...mapped)

  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('formulas give amount in 2 rows from line 6 on'),
  })
  expect(await world.payments()).toEqual([])
})

test.each(everyNth([1, 3, 4, 5, 6], 5))('is paid once, whichever is first (%i)', async (first) => {
  const world = await batchWorld()
  const [paid, ...others] = [...files.slice(first), ...files.slice(0, first)]
  const [name = '', ...flags] = paid ?? []

  const { code, stdout } = await world.batch(fileOf(name), ...mapped, ...flags, '-o', 'ndjson')
  const told = []
  for (const [other = '', ...more] of everyNth(others, 2)) {
    const { code, stderr } = await world.batch(fileOf(other), ...mapped, ...more)
    told.push({ other, code, isKnown: stderr.includes('Nothing to send: all 4 sent before') })
  }

  expect(code).toBe(0)
  expect(rowsOf(stdout).map(({ columns }) => columns)).toContainEqual(
    expect.objectContaining({
      Departamento: 'Ventas, San José',
      'Salario base': '900000',
      Empleado: 'Ana Lucía Vargas Solano',
    }),
  )
  expect(told).toEqual(told.map(({ other }) => ({ other, code: 0, isKnown: true })))
  const payments = await world.payments()
  expect(payments.map(({ amount, description }) => `${amount.value} ${description}`).sort()).toEqual([
    '150025 Horas extra; sábado y domingo',
    '30 Ajuste de céntimos, niñez y ñandú',
    '300050 Herramientas "varias" de taller',
    '35000000 Salario de noviembre',
  ])
})

test.each([
  ['openpyxl.xlsx', [], /Cell E6 of the sheet 'Planilla' is a formula without its result/],
  ['es-windows-1252.csv', [], /line 4: amount "\?350\.000,00" has a mark in place of .+ ₡/],
  [
    'libreoffice.xlsx',
    ['--map', 'to=telefono o iban,amount=salario base,description=detalle'],
    /Salario base is hidden/,
  ],
  ['libreoffice.xlsx', ['--sheet', 'Notas'], /names no column that payctl reads/],
] as const)('%s with %j is refused', async (name, flags, told) => {
  const world = await batchWorld()

  const { code, stderr } = await world.batch(fileOf(name), ...mapped, ...flags)

  expect({ code, stderr: stderr.replace(/\s+/g, ' ') }).toEqual({ code: 2, stderr: expect.stringMatching(told) })
  expect(await world.payments()).toEqual([])
})

test('a phone that a program shortened to 9E+07 is refused with that reason', async () => {
  const world = await batchWorld()
  const file = world.file('a.csv', `to,amount,description\n8.7E+07,1,\n${phone},2,\n`)

  const { code, stderr } = await world.batch(file, '--from', 'CRC')

  expect({ code, stderr: stderr.replace(/\s+/g, ' ') }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/line 2: to "8\.7E\+07" .*a spreadsheet has shortened it/),
  })
})

test('rows that are refused come back as they were, in either form', async () => {
  const world = await batchWorld()
  const bad = `${world.folder}/bad.xlsx`

  await world.batch(
    fileOf('es-cr.csv'),
    ...mapped,
    '--rejects-file',
    bad,
    '--map',
    'to=cedula,amount=monto,description=detalle',
  )

  const { header, rows } = await readBytes(readFileSync(bad), { header: (cells) => cells.includes('reason') }, 10_000)
  expect(header?.cells).toEqual([
    ...['Empleado', 'Cédula', 'Teléfono o IBAN', 'Salario base', 'Monto', 'Detalle', 'Departamento', 'Ingreso'],
    'reason',
  ])
  expect(rows.map(({ cells, kinds }) => [kinds?.[1], cells[1], kinds?.[4], cells[4]])).toEqual([
    ['text', '0304930258', 'number', '350000'],
    ['text', '0205670891', 'number', '1500.25'],
    ['text', '3-101-234567', 'number', '3000.5'],
    ['text', '0304930258', 'number', '0.3'],
  ])
})
