import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { packed } from '../package/packed.ts'

const { folder } = packed('vitest', '@types/node')
const tsc = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))

it('the fixtures of payctl/vitest are typed, and refuse what there is not', { timeout: 120_000 }, async () => {
  const text = `
    import { createTest, test as plain } from 'payctl/vitest'
    const test = createTest({ settle: 'manual', from: { seed: 'demo' } })
    test.beforeAll(async ({ worldPerFile }) => void (await worldPerFile.control.rails.set({ pin: 'offline' })))
    test.override('worldOptions', ({ worldPerFile }) => ({ from: { world: worldPerFile.name } }))
    plain.override('worldOptions', { ttl: 1000 })
    test('is typed', async ({ world, emulator, expect }) => {
      const [account] = (await world.client.call('accounts.list')).data
      const balance: number = account.balance.value
      await using other = await emulator.world({ name: 'other' })
      expect(other.accounts()[0].balance).toBe(balance)
      await expect(world).toHaveReceived('payments.create', { times: 1, body: { amount: 1000 } })
      await expect(world).not.toHaveDelivered('payment.failed')
      await expect(world).toHavePaid('87000001', 1000, { currency: 'CRC' })
      await expect(world).toBeBalanced()
      // @ts-expect-error
      await expect(world).toHaveReceived('payments.make')
      // @ts-expect-error
      await expect(world).toHavePaid('87000001', '10.00')
      // @ts-expect-error
      await world.until.payment('id', 'done')
      // @ts-expect-error
      await world.control.clock.advance({ seconds: 1 })
    })
    // @ts-expect-error
    createTest({ settle: 'soon' })
    // @ts-expect-error
    plain('has no such fixture', ({ worlds }) => worlds)`
  writeFileSync(join(folder, 'suite.mts'), text)
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2024', '--lib', 'es2024,esnext.disposable']
  const modules = ['--module', 'nodenext', '--types', 'node', '--pretty', 'false']
  const result = await execa(tsc, [...options, ...modules, 'suite.mts'], { cwd: folder, reject: false })
  expect(result).toMatchObject({ stdout: '', exitCode: 0 })
})
