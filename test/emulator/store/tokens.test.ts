import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startEmulator } from '../../../emulator/index.ts'
import { apiOn } from '../payments.ts'
import { newFolder } from './folder.ts'

test('what is kept of a token is not the token', async () => {
  const file = join(newFolder(), 'world.db')
  const token = 'a-secret-of-my-own'
  const emulator = await startEmulator({ data: file, token })
  expect((await apiOn(emulator).get('/api/user')).status).toBe(200)

  await emulator.close()

  expect(readFileSync(file).includes('maria.fernandez@example.com')).toBe(true)
  expect(readFileSync(file).includes(token)).toBe(false)
})
