import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startWorld } from '../../emulator/control/world.ts'
import { surroundings } from '../../support/payctl_process.ts'
import { temporaryDirectory } from '../../support/run_payctl.ts'
import { keys, openPayctl } from '../../support/terminal.ts'
import { holdAnswers } from './held_service.ts'

/**
 * Runs `payments send`; its question appears when the test releases the answers that payctl needs before the question.
 */
async function sendBehindHeldAnswers() {
  const world = await startWorld({})
  const held = await holdAnswers(world.emulator.baseUrl)
  const home = await temporaryDirectory()
  const env = {
    ...surroundings(world.emulator),
    PAYCTL_BASE_URL: held.url,
    PAYCTL_STATE_DIR: home,
    PAYCTL_CONFIG_DIR: join(home, 'config'),
  }
  const send = ['payments', 'send', '--from', world.colones, '--to', '8700-0001', '--amount', '5']
  const terminal = openPayctl(send, { env })
  await held.asked('/api/')
  return {
    terminal,
    release: () => held.release('/'),
    payments: async () => (await world.client.call('payments.history')).data,
  }
}

test.each([
  ['y and Enter', `y${keys.enter}`],
  ['y without Enter', 'y'],
  ['several answers', `y${keys.enter}y${keys.enter}yes${keys.enter}`],
])('%s typed before the question is on the screen do not answer it', async (_, typed) => {
  const { terminal, release, payments } = await sendBehindHeldAnswers()

  terminal.type(typed)
  await terminal.shows(/^y/m)
  release()
  await terminal.answer('(y/N)', keys.enter)

  expect(await terminal.ended).toBe(2)
  expect(terminal.screen).toContain('Not confirmed: nothing was sent.')
  expect(await payments()).toEqual([])
})

test('an answer typed at the question counts, whatever was typed before', async () => {
  const { terminal, release, payments } = await sendBehindHeldAnswers()

  terminal.type(`n${keys.enter}`)
  await terminal.shows(/^n/m)
  release()
  await terminal.answer('(y/N)', `y${keys.enter}`)

  expect(await terminal.ended).toBe(0)
  expect(await payments()).toHaveLength(1)
})
