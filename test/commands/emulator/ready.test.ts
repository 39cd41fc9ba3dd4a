import { expect, it, onTestFinished } from 'vitest'
import { announceAll, startTwo } from '../../config/ready.ts'
import { runPayctl, temporaryDirectory } from '../../support/run_payctl.ts'

it('payctl emulator wait ready waits for the emulator or the world that --emulator names', async () => {
  const { one, first, second, close } = await startTwo()
  onTestFinished(close)
  const state = await temporaryDirectory()
  announceAll(state, [{ ...first, name: 'shop' }, second])
  const env = { PAYCTL_STATE_DIR: state, PAYCTL_BASE_URL: second.base_url }
  const ready = ['emulator', 'wait', 'ready', '--json', '--wait-timeout', '300ms']
  const named = async (name: string) => {
    const { code, stdout } = await runPayctl([...ready, `--emulator=${name}`], { env })
    return { code, base_url: stdout === '' ? undefined : JSON.parse(stdout).base_url }
  }
  await runPayctl(['emulator', 'worlds', 'create', '--name', 'blue', '--emulator=shop'], { env })

  expect(await named('shop')).toEqual({ code: 0, base_url: one.baseUrl })
  expect(await named('blue')).toEqual({ code: 0, base_url: `${one.baseUrl}/w/blue` })
  expect(await named('other')).toEqual({ code: 12, base_url: undefined })
})
