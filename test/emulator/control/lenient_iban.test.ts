import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type EmulatorOptions, type EmulatorWorld, type SeedFile, startEmulator } from '../../../src/testing/index.ts'
import { newFolder } from '../store/folder.ts'

/** An IBAN whose check digits should be 38. */
const wrong = 'CR37012345678901234567'
/** IBAN of an account of the emulator; its check digits should be 76. */
const wrongOwn = 'CR00099910000000000001'

const start = async (options: EmulatorOptions = {}) => {
  const emulator = await startEmulator({ settle: 'instant', clock: '2030-01-05T12:00:00Z', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

type World = Pick<EmulatorWorld, 'client' | 'accounts' | 'control'>

const holder = { name: 'Ana Prueba', document_number: '0109990888' }
const register = ({ control }: Pick<World, 'control'>, iban = wrong) => control.registry.add({ iban, ...holder })

const orderOf = ({ accounts }: World, recipient_iban: string) => ({
  headers: { 'X-Idempotency-Key': randomUUID() },
  body: { source_account_id: accounts()[0]?.id ?? '', amount: 100, recipient_iban },
})

describe('an IBAN with wrong check digits', () => {
  it('is accepted in payments, validations, lookups and credits of a lenient world', async () => {
    const world = await start({ lenientIban: true })
    expect(await register(world)).toMatchObject({ address: wrong, entity_name: 'Scotiabank' })

    const { client, control } = world
    expect(await client.call('iban.information', { params: { iban: wrong } })).toMatchObject({
      iban: wrong,
      entity_name: 'Scotiabank',
    })
    expect(await client.call('payments.validate', orderOf(world, wrong))).toMatchObject({ channel: 'pin' })
    const { id } = await client.call('payments.create', orderOf(world, wrong))
    expect(await client.call('payments.get', { params: { id } })).toMatchObject({
      status: 'completed',
      payee: { iban: wrong, name: holder.name },
    })
    const to = world.accounts()[0]?.id ?? ''
    expect(await control.credits.create({ to, amount: 5, from_iban: wrong })).toMatchObject({ payer: { iban: wrong } })
    expect(await control.state()).toMatchObject({ lenient_iban: true, ledger_balanced: true })
    expect((await (await world.world()).control.state()).lenient_iban).toBe(true)
  })

  it('is refused by every other world', async () => {
    const { control, accounts } = await start()
    const refusal = (field: string) => ({ status: 422, errors: { [field]: ['The check digits should be 38'] } })
    await expect(register({ control })).rejects.toMatchObject(refusal('iban'))
    const body = { to: accounts()[0]?.id ?? '', amount: 5, from_iban: wrong }
    await expect(control.credits.create(body)).rejects.toMatchObject(refusal('from_iban'))
    expect((await control.state()).lenient_iban).toBe(false)
  })

  it('belongs to nobody in a lenient world until it is registered', async () => {
    const world = await start({ lenientIban: true })
    const refusal = { status: 422, errors: { recipient_iban: ['IBAN not found'] } }
    await expect(world.client.call('payments.create', orderOf(world, wrong))).rejects.toMatchObject(refusal)
    await expect(world.client.call('payments.validate', orderOf(world, wrong))).rejects.toMatchObject(refusal)
    await expect(world.client.call('iban.information', { params: { iban: wrong } })).rejects.toMatchObject({
      status: 404,
    })
  })
})

it.each([
  ['CR3701234567890123456', 'IBAN must be a valid Costa Rican IBAN (CR followed by 20 digits)'],
  ['GB29NWBK60161331926819', 'IBAN must be a valid Costa Rican IBAN (CR followed by 20 digits)'],
  [wrongOwn, 'IBANs of entity 999 are this emulator’s own'],
])('a lenient world still refuses to register %s', async (iban, message) => {
  await expect(register(await start({ lenientIban: true }), iban)).rejects.toMatchObject({
    status: 422,
    errors: { iban: [message] },
  })
})

describe('a seed with wrong check digits', () => {
  const seed = {
    accounts: [{ alias: 'a', iban: wrongOwn, balance: 1000 }],
    registry: [{ iban: wrong, ...holder }],
    payments: [
      { account: 'a', to: wrong, amount: 10, fee: 0 },
      { account: 'a', transfer_type: 'credit' as const, from: wrong, amount: 20 },
    ],
  }
  const problems = {
    'accounts[0].iban': ['the check digits should be 76'],
    'registry[0].iban': ['The check digits should be 38'],
    'payments[0].to': ['the check digits should be 38'],
    'payments[1].from': ['the check digits should be 38'],
  }

  it('is refused in each place, unless the seed or the emulator is lenient', async () => {
    await expect(start({ seed })).rejects.toMatchObject({ name: 'SeedRefusal', errors: problems })
    await expect(start({ seed: { ...seed, lenient_iban: false } })).rejects.toMatchObject({ errors: problems })
    for (const options of [{ seed: { ...seed, lenient_iban: true } }, { seed, lenientIban: true }]) {
      const { client, accounts } = await start(options)
      expect(accounts()).toMatchObject([{ iban: wrongOwn, balance: 1000 }])
      const { data } = await client.call('payments.history', { query: {} })
      expect(data.map(({ payer, payee }) => [payer.iban, payee.iban])).toContainEqual([wrongOwn, wrong])
    }
  })

  it('makes one world of an emulator lenient, and no other', async () => {
    const emulator = await start()
    const world = await emulator.world({ from: { seed: { extends: 'demo', lenient_iban: true } } })
    expect(await register(world)).toMatchObject({ address: wrong })
    await expect(register(emulator)).rejects.toMatchObject({ status: 422 })
  })
})

it('a world stays lenient: in its file, after a reset, in a fork and as an exported seed', async () => {
  const data = join(newFolder(), 'world.db')
  const seed = { extends: 'demo' as const, registry: [{ iban: wrong, ...holder }] } satisfies SeedFile
  await (await start({ data, seed, lenientIban: true })).close()

  const again = await startEmulator({ data })
  onTestFinished(() => again.close())
  await again.control.reset()
  expect(await again.client.call('iban.information', { params: { iban: wrong } })).toMatchObject({ name: holder.name })
  const fork = await again.world({ from: { world: 'default' } })
  expect((await fork.control.state()).lenient_iban).toBe(true)
  const exported = await again.control.seed()
  expect(exported.seed.lenient_iban).toBe(true)
  const other = await start({ seed: exported.seed })
  expect(await other.client.call('iban.information', { params: { iban: wrong } })).toMatchObject({ name: holder.name })
})

it('a world of a file becomes lenient when the emulator is started so', async () => {
  const data = join(newFolder(), 'world.db')
  await (await start({ data })).close()
  const again = await startEmulator({ data, lenientIban: true })
  onTestFinished(() => again.close())
  expect(await register(again)).toMatchObject({ address: wrong })
})
