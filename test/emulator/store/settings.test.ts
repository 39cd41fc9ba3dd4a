import { expect, onTestFinished, test } from 'vitest'
import { Worlds } from '../../../emulator/worlds/worlds.ts'

test('settings that were rolled back are not in force', () => {
  const worlds = new Worlds({ settle: 'manual' })
  onTestFinished(() => worlds.close())
  const { database, settings } = worlds.current
  const before = settings.get('rails')

  database.write(() => settings.set('rails', { pin: false, sinpe_movil: false }))
  expect(settings.get('rails')).toEqual({ pin: false, sinpe_movil: false })
  expect(() =>
    database.write(() => {
      settings.set('fees', { pin: 1, pin_usd: 1, sinpe_movil: 1, own_accounts: 'same' })
      throw new Error('a full disk')
    }),
  ).toThrow('a full disk')

  expect(settings.get('rails')).toEqual(before)
})
