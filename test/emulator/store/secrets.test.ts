import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { apiOn } from '../payments.ts'
import { newFolder } from './folder.ts'

test('the store does not contain tokens', async () => {
  const file = join(newFolder(), 'world.db')
  const token = 'a-secret-of-my-own'
  const emulator = await startEmulator({ data: file, token })
  expect((await apiOn(emulator).get('/api/user')).status).toBe(200)

  await emulator.close()

  const kept = readFileSync(file)
  expect(kept.includes('maria.fernandez@example.com')).toBe(true)
  expect(kept.includes(token)).toBe(false)
})

test('the store does not contain the secret of a subscription', async () => {
  const file = join(newFolder(), 'world.db')
  const emulator = await startEmulator({ data: file })
  const body = { url: 'https://example.com/hook', events: ['payment.completed'] }
  const { secret } = (await apiOn(emulator).post('/api/webhooks/subscriptions', body)).body.data

  await emulator.close()

  const kept = readFileSync(file)
  expect(kept.includes(body.url)).toBe(true)
  expect(secret).toMatch(/^\w{32}$/)
  expect(kept.includes(secret)).toBe(false)
})
