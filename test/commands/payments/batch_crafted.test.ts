import { describe, expect, test } from 'vitest'
import { attribute, craftedWorkbook, listed, textCell, textRow, worksheet } from '../../sheets/crafted_workbook.ts'
import { batchWorld, colones, payees } from './batch_file.ts'

const [, phone = ''] = payees
const headings = textRow(['to', 'amount', 'description'])
const number = (value: string, more = '') => `<c${more}><v>${value}</v></c>`
const cells = (amount: string) => `${textCell(phone)}${amount}${textCell('Pago de la prueba')}`
const data = (...rows: readonly string[]) => `<sheetData>${headings}${rows.join('')}</sheetData>`
const row = (amount: string, more = '') => `<row${more}>${cells(number(amount))}</row>`

type Crafted = Parameters<typeof craftedWorkbook>[0]

async function paidFor(crafted: Crafted, ...flags: readonly string[]) {
  const world = await batchWorld()
  const file = world.file('a.xlsx', Buffer.from(craftedWorkbook(crafted)))
  const { code, stderr } = await world.batch(file, '--from', colones.id, ...flags)
  return { code, stderr, paid: (await world.payments()).map(({ amount }) => amount.value) }
}

test('a plain crafted workbook is paid', async () => {
  expect(await paidFor({ sheet: data(row('1500.25')) })).toMatchObject({ code: 0, paid: [150025] })
})

describe('what Excel does not show is not paid', () => {
  const hiddenRow = /line 3: it is hidden in the sheet/
  const rows = (more: string) => data(row('1'), row('2', more))
  test.each<[string, string, RegExp]>([
    ['a hidden row without its number', rows(' hidden="1"'), hiddenRow],
    ['hidden as an entity', rows(' hidden="&#49;"'), hiddenRow],
    ['hidden with spaces', rows(' hidden=" 1 "'), hiddenRow],
    ['hidden as true', rows(' hidden="true"'), hiddenRow],
    ['hidden after a >', rows(' customFormat="0" spans="1>2" hidden="1"'), hiddenRow],
    ['hidden as a word that is not a boolean', rows(' hidden="yes"'), /neither true nor false/],
    ['a row without height', rows(' ht="0" customHeight="1"'), hiddenRow],
    ['a row of half a point', rows(' ht="0.5"'), hiddenRow],
    [
      'rows that are hidden unless they say otherwise',
      `<sheetFormatPr defaultRowHeight="15" zeroHeight="1"/>${data(row('1'))}`,
      /headings in line 1/,
    ],
    [
      'one of the rows that are hidden unless they say otherwise',
      `<sheetFormatPr zeroHeight="1"/><sheetData>${textRow(['to', 'amount', 'description'], ' ht="15"')}${row('1', ' hidden="0"')}${row('2')}</sheetData>`,
      hiddenRow,
    ],
    [
      'a column without width',
      `<cols><col min="2" max="2" width="0"/></cols>${data(row('1'))}`,
      /column amount is hidden/,
    ],
    [
      'a hidden column',
      `<cols><col min="1" max="16384" hidden="1"/></cols>${data(row('1'))}`,
      /columns to, amount, description are hidden/,
    ],
    [
      'columns without width',
      `<sheetFormatPr defaultColWidth="0"/>${data(row('1'))}`,
      /columns to, amount, description are hidden/,
    ],
    [
      'a cell below a merged one',
      `${data(row('1'), row('2'))}<mergeCells><mergeCell ref="B2:B3"/></mergeCells>`,
      /line 3: amount is below a merged cell/,
    ],
    [
      'a hidden heading',
      `<sheetData>${textRow(['to', 'amount', 'description'], ' hidden="1"')}${row('1')}</sheetData>`,
      /headings in line 1/,
    ],
  ])('%s', async (_, sheet, told) => {
    const { code, stderr, paid } = await paidFor({ sheet })

    expect({ code, stderr: stderr.replace(/\n +/g, ' '), paid }).toEqual({
      code: 2,
      stderr: expect.stringMatching(told),
      paid: [],
    })
  })

  test.each<[string, string, string]>([
    ['a format that is another amount', '"10.00"', '"10.00"'],
    ['a format that puts digits before', '"1"0', '"1999"'],
    ['a format that moves the point', '0"."00', '"9.99"'],
    ['a format that hides', ';;;', 'nothing'],
    ['a format in another currency', '[$USD] #,##0.00', 'USD'],
    ['a format in thousands', '0,', 'a number format that payctl does not read'],
    ['a percentage', '0%', 'a number format that payctl does not read'],
    ['a format with conditions', '[>5]"5";0', 'a number format that payctl does not read'],
  ])('%s', async (_, code, told) => {
    const sheet = data(`<row>${cells(number('999', ' s="1"'))}</row>`)

    expect(await paidFor({ sheet, formats: [code] })).toEqual({
      code: 2,
      stderr: expect.stringContaining(told),
      paid: [],
    })
  })

  test('a format of text that is another amount, or another payee', async () => {
    const amount = `<row>${textCell(phone)}${textCell('999', ' s="1"')}${textCell('Pago de la prueba')}</row>`
    const payee = `<row>${textCell(phone, ' s="2"')}${number('999')}${textCell('Pago de la prueba')}</row>`

    const { code, stderr, paid } = await paidFor({
      sheet: data(amount, payee),
      formats: ['0;0;0;"10.00"', '@" o 8888-1234"'],
    })

    expect({ code, stderr, paid }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /amount is "999", but the sheet shows "10\.00"[\s\S]+but the sheet shows ".+ o 8888-1234"/,
      ),
      paid: [],
    })
  })

  test('and what it shows in the usual formats is', async () => {
    const formats = [
      '#,##0.00',
      '0',
      '[$₡-140A]#,##0.00;[Red]-[$₡-140A]#,##0.00',
      '_-* #,##0.00\\ "CRC"_-',
      '#,##0.##',
      '@',
    ]
    const sheet = data(...formats.map((_, at) => `<row>${cells(number(`1500.2${at}`, ` s="${at + 1}"`))}</row>`))

    const { code, stderr, paid } = await paidFor({ sheet, formats })

    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(paid.sort()).toEqual([150020, 150021, 150022, 150023, 150024, 150025])
  })

  test.each([['0000-0000'], ['"+506 "0000-0000'], ['00000000']])('a phone in the format %s is paid', async (format) => {
    const sheet = data(`<row>${number(phone, ' s="1"')}${number('1')}${textCell('Pago de la prueba')}</row>`)

    expect(await paidFor({ sheet, formats: [format] })).toMatchObject({ code: 0, paid: [100] })
  })
})

describe('the sheet that is named is the one that is read', () => {
  test('where a comment has another before it', async () => {
    const workbook = `<!--<sheet name="S" sheetId="9" r:id="r2"/>-->${listed(['S', 'r1'], ['T', 'r2'])}`
    const parts = { 'xl/worksheets/sheet2.xml': worksheet(data(row('9'))) }

    expect(await paidFor({ sheet: data(row('1')), workbook, parts }, '--sheet', 'S')).toMatchObject({ paid: [100] })
    expect(await paidFor({ sheet: data(row('1')), workbook, parts }, '--sheet', 'T')).toMatchObject({ paid: [900] })
  })

  test('where parts are in another order than sheets', async () => {
    const workbook = listed(['T', 'r2'], ['S', 'r1'])
    const parts = { 'xl/worksheets/sheet2.xml': worksheet(data(row('9'))) }

    expect(await paidFor({ sheet: data(row('1')), workbook, parts })).toMatchObject({ paid: [900] })
  })
})

describe('formulas', () => {
  const formula = (formula: string, value: string) => `<c><f>${attribute(formula)}</f><v>${value}</v></c>`
  const sheet = data(`<row>${cells(formula('1+1', '999'))}</row>`, `<row>${cells(formula('A1', '2'))}</row>`)

  test('in amounts and payees are refused with --yes, and named', async () => {
    const told = /formulas give amount in 2 rows from line 2 on[\s\S]+Nothing was sent[\s\S]+paste them as values/
    expect(await paidFor({ sheet })).toEqual({ code: 2, stderr: expect.stringMatching(told), paid: [] })
    const payee = `<c t="str"><f>B1</f><v>${phone}</v></c>`
    expect(await paidFor({ sheet: data(`<row>${payee}${number('1')}${textCell('Pago de la prueba')}</row>`) })).toEqual(
      {
        code: 2,
        stderr: expect.stringContaining('formulas give to in 1 row from line 2 on'),
        paid: [],
      },
    )
  })

  test('in other columns are as good as text', async () => {
    const described = `<row>${textCell(phone)}${number('1')}<c t="str"><f>B1</f><v>Pago de la prueba</v></c></row>`
    expect(await paidFor({ sheet: data(described) })).toMatchObject({ code: 0, paid: [100] })
  })

  test('that Excel computes when it opens the file are refused, in a dry run too', async () => {
    const workbook = `${listed(['S', 'r1'])}<calcPr fullCalcOnLoad="1"/>`
    const told = expect.stringMatching(/line 2: amount is a formula whose result may have changed/)
    expect(await paidFor({ sheet, workbook })).toEqual({ code: 2, stderr: told, paid: [] })
    expect(await paidFor({ sheet, workbook }, '--dry-run')).toEqual({ code: 2, stderr: told, paid: [] })
  })
})

describe('XML that programs could read in two ways is refused', () => {
  test.each<[string, string]>([
    ['an attribute twice', data(row('1', ' hidden="0" hidden="1"'))],
    ['an entity that is not declared', data(row('&one;'))],
    ['two values', data(`<row>${cells('<c><v>1</v><v>2</v></c>')}</row>`)],
    ['an element in a value', data(`<row>${cells('<c><v>1<x/>0</v></c>')}</row>`)],
    ['a value and a text', data(`<row>${cells('<c><v>1</v><is><t>2</t></is></c>')}</row>`)],
    ['a row after its place', data(row('1', ' r="5"'), row('2', ' r="4"'))],
    ['a cell of another row', data(`<row r="2"><c r="A3"><v>1</v></c></row>`)],
    ['rows in a wrapper', `<sheetData>${headings}<x>${row('1')}</x></sheetData>`],
    ['two tables of rows', data(row('1')) + data(row('2'))],
    ['columns after the rows', `${data(row('1'))}<cols><col min="1" max="1" hidden="1"/></cols>`],
    ['a number that is not one', data(row('0x10'))],
    ['a type that is not known', data(`<row>${cells('<c t="money"><v>1</v></c>')}</row>`)],
    ['an end that is missing', `${data(row('1'))}<x>`],
  ])('%s', async (_, sheet) => {
    expect(await paidFor({ sheet })).toEqual({ code: 2, stderr: expect.stringContaining('damaged'), paid: [] })
  })
})

test('spellings of XML that mean the same are read the same', async () => {
  const spelt = [
    `<row>${cells('<c><v><![CDATA[1]]>.<!-- 9 -->00</v></c>')}</row>`,
    `<row>${cells("<c t='inlineStr'><is><r><t>2</t></r><r><t>.00</t></r><rPh><t>9</t></rPh></is></c>")}</row>`,
    `<row>${cells('<c><v>&#51;&#x2e;00</v></c>')}</row>`,
  ]
  const { code, paid } = await paidFor({ sheet: data(...spelt) })
  expect({ code, paid: paid.sort() }).toEqual({ code: 0, paid: [100, 200, 300] })
})
