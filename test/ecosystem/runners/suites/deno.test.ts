import { createRequire } from 'node:module'
import process from 'node:process'
import { ApiError } from 'payctl'
import { ControlRefusal, startEmulator, suiteEmulator } from 'payctl/emulator'
import pays from './pay.cjs'

const { check, pay, seen } = pays

function same(one: unknown, other: unknown): void {
  if (one !== other) throw new Error(`${one} is not ${other}`)
}

Deno.test('a test has a world of its own', async () => {
  await using emulator = await suiteEmulator({ settle: 'manual' })
  await using world = await emulator.world()
  await pay(world)
  same(await check(emulator, { ApiError, ControlRefusal }), seen)
})

Deno.test({
  name: 'required and imported it is the same, with an emulator in the process',
  ignore: process.env.PAYCTL_CONTROL_URL !== undefined,
  async fn() {
    const { startEmulator: required } = createRequire(import.meta.url)('payctl/emulator')
    same(required, startEmulator)
    await using emulator = await required({ settle: 'manual' })
    same(await check(emulator, { ApiError, ControlRefusal }), seen)
  },
})
