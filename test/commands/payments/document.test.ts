import { expect, test } from 'vitest'
import { payctl } from './payctl.ts'
import { startService } from './service.ts'

test.each([
  ['3-101-123456', '3101123456'],
  ['1-0234-0567', '0102340567'],
  ['304930258', '304930258'],
])('history --document %s asks for %s', async (text, number) => {
  const service = await startService()
  await payctl(service.url).run('payments', 'history', '--document', text, '--json')
  expect(service.received[0]?.query).toMatchObject({ recipient_document_number: number })
})

test('history --document with a letter for a digit asks nothing', async () => {
  const service = await startService()
  const { code, stderr } = await payctl(service.url).run('payments', 'history', '--document', '1-O234-0567')
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('the letter O') })
  expect(service.received).toEqual([])
})
