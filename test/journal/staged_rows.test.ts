import { expect, onTestFinished, test } from 'vitest'
import { StagedRows } from '../../src/journal/staged_rows.ts'

const source = '3f2504e0-4f89-41d3-9a0c-0305e82c3301'

// Rows are read in pages of 500.
test.each([0, 1, 499, 500, 501, 1000, 1001])('all of %i staged rows are read, each once and in order', (count) => {
  const staged = new StagedRows()
  onTestFinished(() => staged.close())
  const lines = Array.from({ length: count }, (_, at) => at + 2)
  for (const line of lines) {
    staged.add({
      line,
      body: { source_account_id: source, amount: line, recipient_phone: '88881234' },
      reference: `r${line}`,
      columns: null,
    })
  }

  const read = [...staged.rows()]

  expect(read.map(({ line }) => line)).toEqual(lines)
  expect(read.map(({ body }) => body.amount)).toEqual(lines)
  expect(staged.count()).toBe(count)
})
