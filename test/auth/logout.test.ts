import { existsSync, mkdirSync } from 'node:fs'
import type fs from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import type { Credentials } from '../../src/auth/credentials.ts'
import { forgetCredentials, storeCredentials } from '../../src/auth/credentials_file.ts'
import { withLock } from '../../src/lock/lock.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'

/** Work of another process while this process lists the folder. */
const other = vi.hoisted(() => ({ act: async () => {} }))

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof fs>()
  return {
    ...real,
    async readdir(folder: string) {
      await other.act()
      return real.readdir(folder)
    },
  }
})

const login: Credentials = {
  kind: 'dashboard',
  base_url: 'https://api.example.com',
  auth_url: 'https://api.example.com',
  access_token: 'token',
  obtained_at: '2026-01-05T12:00:00.000Z',
}

it('removes no file with which another payctl is saving its login', async () => {
  const folder = await temporaryDirectory()
  const draft = join(folder, 'credentials.json.tmp-1-Ab3dEf')
  await storeCredentials(folder, 'default', login)
  let isSaving = false
  other.act = () =>
    withLock(join(folder, 'credentials.lock'), AbortSignal.timeout(100), () => {
      isSaving = true
      mkdirSync(draft)
    }).catch(() => {})
  expect(await forgetCredentials(folder, 'default')).toBe(true)
  expect(existsSync(draft)).toBe(isSaving)
})
