import fc from 'fast-check'
import { expect, test } from 'vitest'
import { batchWorld, colones, payees } from '../commands/payments/batch_file.ts'
import { craftedWorkbook, textCell, textRow } from './crafted_workbook.ts'

const [, phone = ''] = payees

const entities = (text: string) =>
  Array.from(text, (character) => `&#x${character.charCodeAt(0).toString(16)};`).join('')

/** Attributes of a visible row in a sheet's XML, and attributes of a hidden row. */
const shownRow = fc.constantFrom<string>(
  '',
  ' hidden="0"',
  " hidden=' false '",
  ' hidden="&#48;"',
  ' ht="15" customHeight="1"',
  ' collapsed="1"',
  ' xmlns:x="urn:x" x:hidden="1"',
  ' spans="1>3"',
)
const hiddenRow = fc.constantFrom<string>(
  ' hidden="1"',
  " hidden='true'",
  ' hidden="&#49;"',
  ' hidden=" 1 "',
  ' hidden="\n1"',
  ' ht="0"',
  ' ht="0.2" customHeight="1"',
  ' spans="1>3" hidden="1"',
  ' hidden\n=\n"&#x31;"',
)
const shownColumn = fc.constantFrom<string>(
  '',
  '<cols/>',
  '<cols><col min="1" max="3" width="12"/></cols>',
  '<!--<cols><col min="1" max="9" hidden="1"/></cols>-->',
  '<cols><col min="4" max="16384" hidden="1"/></cols>',
)
const hiddenColumn = fc.constantFrom<string>(
  '<cols><col min="1" max="9" hidden="1"/></cols>',
  "<cols><col hidden='&#49;' max='2' min='2'/></cols>",
  '<cols><col min="2" max="2" width="0" customWidth="1"/></cols>',
)

/** Spellings of an amount that a person sees unchanged. */
const shownAmount = fc.constantFrom<(text: string) => string>(
  (text) => `<c><v>${text}</v></c>`,
  (text) => `<c s='1'><v> ${text}\n</v></c>`,
  (text) => `<c><v>${entities(text)}</v></c>`,
  (text) => `<c><v><![CDATA[${text.slice(0, 1)}]]>${text.slice(1)}</v></c>`,
  (text) => `<c><v>${text.slice(0, 2)}<!-- 99 --><?x 99?>${text.slice(2)}</v></c>`,
  (text) => textCell(text),
  (text) =>
    `<c t="inlineStr"><is><r><t>${text.slice(0, 1)}</t></r><r><rPr><b/></rPr><t>${text.slice(1)}</t></r><rPh sb="0" eb="1"><t>99</t></rPh></is></c>`,
  (text) => `<c t="str"><v>${text}</v><extLst><ext><v>99</v></ext></extLst></c>`,
)

/** Spellings of an amount that show a person another amount, or that programs read in two ways. */
const otherAmount = fc.constantFrom<(text: string) => string>(
  (text) => `<c s="2"><v>${text}</v></c>`,
  (text) => `<c s="3"><v>${text}</v></c>`,
  (text) => textCell(text, ' s="4"'),
  (text) => `<c><f>A1</f><v>${text}</v></c>`,
  (text) => `<c><v>${text}</v><v>${text}</v></c>`,
  (text) => `<c><v>${text}</v><is><t>${text}</t></is></c>`,
  (text) => `<c t="n" t="s"><v>${text}</v></c>`,
  (text) => `<c><v>${text}&zero;</v></c>`,
)

interface Row {
  readonly minor: number
  readonly isShown: boolean
  readonly xml: string
}

const rowOf = (how: fc.Arbitrary<string>, amount: fc.Arbitrary<(text: string) => string>, isShown: boolean) =>
  fc.tuple(fc.integer({ min: 100, max: 99_999 }), how, amount).map(
    ([minor, more, write]): Row => ({
      minor,
      isShown,
      xml: `<row${more}>${textCell(phone)}${write((minor / 100).toFixed(2))}${textCell('Pago de la prueba')}</row>`,
    }),
  )

const mostly = <T>(usual: fc.Arbitrary<T>, ...others: readonly fc.Arbitrary<T>[]) =>
  fc.oneof({ arbitrary: usual, weight: 8 }, ...others)

const sheets = fc.record({
  rows: fc.array(
    mostly(
      rowOf(shownRow, shownAmount, true),
      rowOf(hiddenRow, shownAmount, false),
      rowOf(shownRow, otherAmount, false),
    ),
    { minLength: 1, maxLength: 6 },
  ),
  columns: mostly(
    shownColumn.map((xml) => ({ xml, isShown: true })),
    hiddenColumn.map((xml) => ({ xml, isShown: false })),
  ),
  between: fc.constantFrom<string>('', '\n  ', '<!--<row hidden="1"/>-->', '<?row hidden="1"?>'),
  isPrefixed: fc.boolean(),
})

const formats = ['#,##0.00', '"10.00"', ';;;', '0;0;0;"10.00"']

test('what is paid of a sheet, however its XML is written, is what it shows', { timeout: 600_000 }, async () => {
  const world = await batchWorld()
  let number = 0
  await fc.assert(
    fc.asyncProperty(sheets, async ({ rows, columns, between, isPrefixed }) => {
      number += 1
      const before = (await world.payments()).length
      const plain = `${columns.xml}<sheetData>${[textRow(['to', 'amount', 'description']), ...rows.map(({ xml }) => xml)].join(between)}</sheetData>`
      const sheet = isPrefixed ? plain.replace(/<(\/?)([a-zA-Z])/g, '<$1s:$2') : plain
      const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
      const parts = isPrefixed
        ? { 'xl/worksheets/sheet1.xml': `<s:worksheet xmlns:s="${main}">${sheet}</s:worksheet>` }
        : {}
      const file = world.file(`${number}.xlsx`, Buffer.from(craftedWorkbook({ sheet, formats, parts })))

      const { code, stderr } = await world.batch(file, '--from', colones.id, '--batch-id', `run-${number}`)

      const isShown = columns.isShown && rows.every((row) => row.isShown)
      const paid = (await world.payments()).length - before
      const amounts = (await world.payments()).map(({ amount }) => amount.value)
      expect({ code, stderr, paid }).toEqual({
        code: isShown ? 0 : 2,
        stderr: expect.any(String),
        paid: isShown ? rows.length : 0,
      })
      if (isShown) for (const { minor } of rows) expect(amounts).toContain(minor)
    }),
    { numRuns: 60 },
  )
})
