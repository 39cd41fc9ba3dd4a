import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startRun } from '../support/started.ts'
import { type Payctl, payctl } from './payments/payctl.ts'
import { account, iban, isPayment, loseAnswers, recover, type Service, startService } from './payments/service.ts'

const setUp = async () => {
  const service = await startService()
  const cli = payctl(service.url)
  const file = join(dirname(cli.stateDir), 'config', 'payees.json')
  return { service, cli, file, saved: () => JSON.parse(readFileSync(file, 'utf8')) }
}

/** From now on, every IBAN has this holder; null: the service answers with `status` instead. */
const holdBy = (service: Service, holder: object | null, status = 404) => {
  service.before = ({ path }) => {
    if (!path.startsWith('/api/iban/')) return undefined
    return holder ? [200, { status: 'active', ...holder }] : [status, 'No such account']
  }
}

const add = (cli: Payctl, name = 'luz', ...more: string[]) => cli.run('payees', 'add', name, '--to', iban, ...more)

const send: readonly string[] = ['payments', 'send', '--from', account, '--amount', '5', '--to', 'luz']

const lookups = (service: Service) => service.received.filter(({ path }) => path.startsWith('/api/iban/')).length

describe('payees', () => {
  it('are saved with the holder as the service gives it, for their owner only', async () => {
    const { service, cli, file, saved } = await setUp()
    const { code, stdout } = await cli.run('payees', 'add', 'Luz', '--to', 'CR05 0152 0200 1026 2840 66', '--json')
    expect(code).toBe(0)
    const entry = { name: 'Luz', service: service.url, iban, holder: 'Luis Solano', bank: 'Banco de Costa Rica' }
    expect(JSON.parse(stdout)).toMatchObject({ ...entry, currency: 'CRC', note: null })
    expect(saved()).toMatchObject({ version: 1, payees: [entry] })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('are listed, shown, renamed and removed', async () => {
    const { cli } = await setUp()
    await add(cli, 'luz', '--note', 'contract 4411')
    await add(cli, 'agua')
    const names = async () =>
      JSON.parse((await cli.run('payees', 'list', '--json')).stdout).map(({ name = '' }) => name)
    expect(await names()).toEqual(['agua', 'luz'])
    expect(JSON.parse((await cli.run('payees', 'show', 'LUZ', '--json')).stdout)).toMatchObject({
      note: 'contract 4411',
    })
    expect((await cli.run('payees', 'rename', 'luz', 'agua')).code).toBe(6)
    expect((await cli.run('payees', 'rename', 'luz', 'cnfl')).code).toBe(0)
    expect((await cli.run('payees', 'remove', 'agua')).code).toBe(2)
    expect((await cli.run('payees', 'remove', 'agua', '--yes')).code).toBe(0)
    expect(await names()).toEqual(['cnfl'])
  })

  it('are not saved twice, nor under a name that is too like another', async () => {
    const { cli, saved } = await setUp()
    await add(cli, 'maría')
    for (const name of ['maría', 'MARÍA', 'maria']) {
      const { code, stderr } = await add(cli, name)
      expect({ code, stderr }).toMatchObject({ code: 6, stderr: expect.stringContaining('Payee maría already exists') })
    }
    expect(saved().payees).toHaveLength(1)
  })

  it('that nobody holds are saved only if that is asked for', async () => {
    const { service, cli, file, saved } = await setUp()
    holdBy(service, null)
    expect((await add(cli)).code).toBe(3)
    expect(existsSync(file)).toBe(false)
    expect((await add(cli, 'luz', '--unverified')).code).toBe(0)
    expect(saved().payees).toMatchObject([{ name: 'luz', holder: null, verified_at: null }])
  })

  it('of one service do not serve for another', async () => {
    const { cli } = await setUp()
    const other = await startService()
    await add(cli)
    const elsewhere = cli.as({ baseUrl: other.url })
    expect((await elsewhere.run('payees', 'list', '--json')).stdout).toBe('[]\n')
    expect((await elsewhere.run(...send, '--yes')).code).toBe(2)
    expect(other.payments.size).toBe(0)
    expect(JSON.parse((await elsewhere.run('payees', 'list', '--all', '--json')).stdout)).toHaveLength(1)
  })

  it('are all saved when many processes save at once', async () => {
    const { cli, saved } = await setUp()
    const names = ['ana', 'berta', 'carla', 'dora', 'elsa', 'flor']
    await Promise.all(names.map((name) => add(cli, name)))
    expect(
      saved()
        .payees.map(({ name = '' }) => name)
        .toSorted(),
    ).toEqual(names)
  })

  it('are all saved, under their newest names, when processes save and rename at once', async () => {
    const { service, cli, saved } = await setUp()
    for (const name of ['ana', 'berta', 'carla']) await add(cli, name)
    const folder = dirname(cli.stateDir)
    const env = {
      PAYCTL_BASE_URL: service.url,
      PAYCTL_TOKEN: 'token-of-the-test',
      PAYCTL_STATE_DIR: cli.stateDir,
      PAYCTL_CONFIG_DIR: join(folder, 'config'),
    }
    const start = (...argv: string[]) => startRun(['payees', ...argv], { env, input: '', process: true })

    const runs = await Promise.all([
      ...['ana', 'berta', 'carla'].map((name) => start('rename', name, `${name}-mora`)),
      ...['dora', 'elsa', 'flor'].map((name) => start('add', name, '--to', iban)),
    ])

    expect(runs.map(({ exitCode }) => exitCode)).toEqual(runs.map(() => 0))
    const names = saved().payees.map(({ name = '' }) => name)
    expect(names.toSorted()).toEqual(['ana-mora', 'berta-mora', 'carla-mora', 'dora', 'elsa', 'flor'])
  })

  it.each([
    ['no JSON', '{\n  "version": 1,\n  "payees": [\n}', /line 4: it is not JSON/],
    ['cut off', '{\n  "version": 1,\n  "payees": [', /line 3: it is not JSON/],
    ['of a newer payctl', '{\n  "version": 2,\n  "payees": []}', /was written by a newer payctl/],
    ['a wrong digit', (text: string) => text.replace(iban, iban.replace('05', '06')), /line 7: the IBAN of luz/],
    ['another name', (text: string) => text.replace('"luz"', '"88881234"'), /line 5: "88881234" can't be the name/],
    ['a holder taken out', (text: string) => text.replace('"Luis Solano"', 'null'), /line 8: luz must have both/],
  ])('in a file that is damaged (%s) are refused with the line, and the file stays', async (_, damage, message) => {
    const { service, cli, file } = await setUp()
    await add(cli)
    const text = typeof damage === 'string' ? damage : damage(readFileSync(file, 'utf8'))
    writeFileSync(file, text)
    for (const args of [
      ['payees', 'list'],
      ['payees', 'add', 'ana', '--to', iban],
      [...send, '--yes'],
    ]) {
      const { code, stderr } = await cli.run(...args)
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
    }
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect(service.payments.size).toBe(0)
  })

  it('of a later payctl keep what this one does not know', async () => {
    const { cli, file, saved } = await setUp()
    await add(cli)
    const [payee] = saved().payees
    writeFileSync(file, JSON.stringify({ version: 1, colour: 'red', payees: [{ ...payee, limit: 5 }] }))
    await add(cli, 'agua')
    await cli.run('payees', 'rename', 'luz', 'cnfl')
    expect(saved()).toMatchObject({ colour: 'red', payees: [{ name: 'cnfl', limit: 5 }, { name: 'agua' }] })
  })
})

describe('sending to a saved payee', () => {
  it('goes to its IBAN, in capitals or not', async () => {
    const { service, cli } = await setUp()
    await add(cli)
    expect((await cli.run(...send, '--yes')).code).toBe(0)
    expect((await cli.run(...send.with(-1, 'LUZ'), '--yes')).code).toBe(0)
    expect([...service.payments.values()]).toHaveLength(2)
    expect(service.received.at(-1)?.body).toMatchObject({ recipient_iban: iban })
    expect((await cli.run('payments', 'validate', ...send.slice(2))).code).toBe(0)
  })

  it('is looked up by the same name', async () => {
    const { cli } = await setUp()
    await add(cli)
    expect(JSON.parse((await cli.run('iban', 'LUZ', '--json')).stdout)).toMatchObject([{ name: 'Luis Solano' }])
    expect((await cli.run('phone', 'luz')).stderr).toContain('payctl iban luz')
    expect((await cli.run('iban', 'lus')).code).toBe(2)
  })

  it('takes no payee that is only near', async () => {
    const { service, cli } = await setUp()
    await add(cli, 'proveedor-luz')
    const { code, stderr } = await cli.run(...send.with(-1, 'proveedor-lus'), '--yes')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean proveedor-luz?') })
    expect(service.payments.size).toBe(0)
  })

  it.each([
    ['with --yes', (cli: Payctl) => cli.run(...send, '--yes')],
    ['at a terminal', (cli: Payctl) => cli.ask('y\n', ...send)],
    ['with --dry-run', (cli: Payctl) => cli.run(...send, '--dry-run')],
    ['at a terminal that may skip the comparison', (cli: Payctl) => cli.ask('y\n', ...send, '--name-unchecked')],
  ])('stops when another holds the account, %s', async (_, run) => {
    const { service, cli } = await setUp()
    await add(cli)
    holdBy(service, { name: 'Juan Pérez' })
    const { code, stderr } = await run(cli)
    expect(code).toBe(6)
    expect(stderr).toContain('it was "Luis Solano", and is "Juan Pérez" now. Nothing was sent.')
    expect(stderr).toContain('payctl payees update luz')
    expect(service.payments.size).toBe(0)
    expect((await cli.run('payments', 'intents', '--json')).stdout).toBe('[]\n')
  })

  it('goes on when the name only lost its accents', async () => {
    const { service, cli } = await setUp()
    holdBy(service, { name: 'Lucía Solano' })
    await add(cli)
    holdBy(service, { name: 'LUCIA  SOLANO' })
    expect((await cli.run(...send, '--yes')).code).toBe(0)
  })

  it.each([
    [403, 5],
    [404, 3],
    [503, 12],
    [429, 11],
  ])('is refused when the lookup fails with %i', async (status, exit) => {
    const { service, cli } = await setUp()
    await add(cli)
    holdBy(service, null, status)
    const { code, stderr } = await cli.run(...send, '--yes', '--retries', '0')
    expect(code).toBe(exit)
    expect(stderr).toContain('could not be compared')
    expect(stderr).toContain('Nothing was sent.')
    expect(service.payments.size).toBe(0)
  })

  it('whose name cannot be compared is a question for a person who asks for that', async () => {
    const { service, cli } = await setUp()
    await add(cli)
    holdBy(service, null, 403)
    expect((await cli.ask('y\n', ...send)).code).toBe(5)
    expect((await cli.run(...send, '--yes', '--name-unchecked')).code).toBe(2)
    expect(service.payments.size).toBe(0)
    const { code, stderr } = await cli.ask('y\n', ...send, '--name-unchecked')
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('could not be compared') })
    expect(service.payments.size).toBe(1)
  })

  it('that was never verified is left to a person', async () => {
    const { service, cli, saved } = await setUp()
    holdBy(service, null)
    await add(cli, 'luz', '--unverified')
    recover(service)
    const refused = await cli.run(...send, '--yes')
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('payctl payees verify luz') })
    expect((await cli.ask('y\n', ...send)).code).toBe(0)
    expect(JSON.parse((await cli.run('payees', 'verify', '--json')).stdout)).toMatchObject([{ result: 'first' }])
    expect(saved().payees).toMatchObject([{ holder: 'Luis Solano' }])
    expect((await cli.run(...send, '--yes')).code).toBe(0)
  })

  it.each(['verify', 'update'])('that changes its address meanwhile gets no other holder, with %s', async (command) => {
    const { service, cli, file, saved } = await setUp()
    holdBy(service, null)
    await add(cli, 'luz', '--unverified')
    service.before = ({ path }) => {
      if (path.startsWith('/api/iban/')) {
        writeFileSync(file, readFileSync(file, 'utf8').replace(iban, 'CR37012600000123456789'))
      }
      return undefined
    }
    const { code, stderr } = await cli.run('payees', command, 'luz')
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr: expect.stringContaining('just been changed by another payctl'),
    })
    expect(saved().payees).toMatchObject([{ holder: null, verified_at: null }])
  })

  it('does not look again when it resolves a payment in doubt', async () => {
    const { service, cli } = await setUp()
    await add(cli)
    loseAnswers(service)
    const key = ['--idempotency-key', 'order-17']
    expect((await cli.run(...send, '--yes', ...key, '--retries', '0')).code).toBe(10)
    recover(service)
    holdBy(service, { name: 'Juan Pérez' })
    const before = lookups(service)
    expect((await cli.run(...send, '--yes', ...key)).code).toBe(0)
    expect((await cli.run('payments', 'resume')).code).toBe(0)
    expect(lookups(service)).toBe(before)
    expect(service.payments.size).toBe(1)
  })
})

describe('a payment to a saved payee that never left', () => {
  const notSent = async () => {
    const at = await setUp()
    await add(at.cli)
    at.service.before = (request) => (isPayment(request) ? [403, 'Not for this token'] : undefined)
    expect((await at.cli.run(...send, '--yes', '--idempotency-key', 'order-18')).code).toBe(5)
    return at
  }

  it('is not resumed when another holds the account', async () => {
    const { service, cli } = await notSent()
    holdBy(service, { name: 'Juan Pérez' })
    const { code, stderr } = await cli.run('payments', 'resume', 'last', '--yes')
    expect(code).toBe(6)
    expect(stderr).toContain('The holder of luz')
    expect(stderr).toContain('is "Juan Pérez" now. Nothing was sent.')
    expect(service.payments.size).toBe(0)
  })

  it('is resumed to whom a person has accepted since', async () => {
    const { service, cli } = await notSent()
    holdBy(service, { name: 'Juan Pérez' })
    expect((await cli.ask('y\n', 'payees', 'update', 'luz')).code).toBe(0)
    expect((await cli.run('payments', 'resume', 'last', '--yes')).code).toBe(0)
    expect(service.payments.size).toBe(1)
  })

  it('is compared with the saved name of then, where the payee is saved no more', async () => {
    const { service, cli } = await notSent()
    await cli.run('payees', 'remove', 'luz', '--yes')
    holdBy(service, { name: 'Juan Pérez' })
    expect((await cli.run('payments', 'resume', 'last', '--yes')).code).toBe(6)
    recover(service)
    expect((await cli.run('payments', 'resume', 'last', '--yes')).code).toBe(0)
  })
})

describe('--expect-name', () => {
  const expecting = (name: string) => [...send.with(-1, iban), '--expect-name', name, '--yes']

  it.each(['Luis Solano', 'LUIS SOLANO', ' luis  solano ', 'Solano, Luis'])('sends to %s', async (name) => {
    const { service, cli } = await setUp()
    expect((await cli.run(...expecting(name))).code).toBe(0)
    expect(service.payments.size).toBe(1)
  })

  it.each([
    ['Luis Mora', 'is held by "Luis Solano", not by "Luis Mora" as expected. Nothing was sent.'],
    [
      'Luis Solano Mora',
      'is held by "Luis Solano", only a partial match for the expected "Luis Solano Mora": without Mora. Nothing',
    ],
  ])('sends nothing to %s', async (name, why) => {
    const { service, cli } = await setUp()
    const { code, stderr } = await cli.run(...expecting(name))
    expect(code).toBe(6)
    expect(stderr).toContain(why)
    expect(service.payments.size).toBe(0)
  })

  it('is compared besides the name of a saved payee', async () => {
    const { service, cli } = await setUp()
    await add(cli)
    expect((await cli.run(...send, '--yes', '--expect-name', 'Ana Mora')).code).toBe(6)
    expect((await cli.run(...send, '--yes', '--expect-name', 'Luis Solano')).code).toBe(0)
    expect(lookups(service)).toBe(3)
  })

  it('must say something', async () => {
    const { cli } = await setUp()
    expect((await cli.run(...expecting(' '))).code).toBe(2)
  })
})

describe('the answer to a lookup that names another number', () => {
  const other = { iban: 'CR76099910000000000001', name: 'Luis Solano', entity_name: 'Banco' }
  const told = 'answered with CR76 0999 1000 0000 0000 01'

  it.each(['Luis Solano', 'Ana Mora'])('sends nothing to %s', async (name) => {
    const { service, cli } = await setUp()
    holdBy(service, other)
    const { code, stderr } = await cli.run(...send.with(-1, iban), '--expect-name', name, '--yes')
    expect(stderr).toContain('could not be compared')
    expect(stderr).toContain(told)
    expect(stderr).toContain('Nothing was sent.')
    expect({ code, sent: service.payments.size }).toEqual({ code: 12, sent: 0 })
  })

  it('sends nothing to a phone', async () => {
    const { service, cli } = await setUp()
    service.before = ({ path }) =>
      path.startsWith('/api/phone/') ? [200, { phone_number: '88888888', name: 'Luis Solano' }] : undefined
    const { code } = await cli.run(...send.with(-1, '87000001'), '--expect-name', 'Luis Solano', '--yes')
    expect({ code, sent: service.payments.size }).toEqual({ code: 12, sent: 0 })
  })

  it('sends nothing to a saved payee, and does not verify it', async () => {
    const { service, cli } = await setUp()
    await add(cli)
    holdBy(service, other)
    expect((await cli.run(...send, '--yes')).code).toBe(12)
    expect(service.payments.size).toBe(0)
    const { code, stdout } = await cli.run('payees', 'verify', '--json')
    expect({ code, verdicts: JSON.parse(stdout) }).toMatchObject({ code: 3, verdicts: [{ result: 'not_told' }] })
    expect((await cli.run('payees', 'update', 'luz')).code).toBe(12)
  })

  it('saves no payee, but unverified', async () => {
    const { service, cli, saved } = await setUp()
    holdBy(service, other)
    const refused = await add(cli)
    expect(refused.code).toBe(12)
    expect(refused.stderr).toContain(told)
    expect((await add(cli, 'luz', '--unverified')).code).toBe(0)
    expect(saved().payees).toMatchObject([{ holder: null, verified_at: null }])
  })

  it('is not a name for the person who is asked', async () => {
    const { service, cli } = await setUp()
    holdBy(service, other)
    const { stderr } = await cli.ask('n\n', ...send.with(-1, iban))
    expect(stderr.replace(/\s+/g, ' ')).toContain(told)
    expect(stderr).not.toContain('Luis Solano')
    expect(service.payments.size).toBe(0)
  })

  it.each([
    ['the IBAN with spaces', iban, { iban: 'CR05 0152 0200 1026 2840 66' }],
    ['the IBAN in small letters', iban, { iban: 'cr05015202001026284066' }],
    ['the phone with its country', '87000001', { phone_number: '+506 8700-0001' }],
    ['no number', '87000001', { phone_number: null }],
    ['an empty number', iban, { iban: '' }],
  ])('does not count %s as another', async (_, to, number) => {
    const { service, cli } = await setUp()
    service.before = ({ path }) =>
      path.includes('/information/') ? [200, { ...number, name: 'Luis Solano', status: 'active' }] : undefined
    expect((await cli.run(...send.with(-1, to), '--expect-name', 'Luis Solano', '--yes')).code).toBe(0)
  })
})

describe('Tab after --to', () => {
  it('offers names first, then what was paid before', async () => {
    const { cli } = await setUp()
    await add(cli, 'ñandú')
    await add(cli, 'luz')
    await cli.run(...send, '--yes')
    await cli.run(...send.with(-1, '88881234'), '--yes')
    const offered = async (line: string) => (await cli.run('__complete', 'line', line)).stdout.split('\n').slice(0, -1)
    expect(await offered('payctl payments send --to ')).toEqual([
      `ñandú\tLuis Solano, ${iban}`,
      `luz\tLuis Solano, ${iban}`,
      '88881234\tpaid before',
      `${iban}\tpaid before`,
    ])
    expect(await offered('payctl payees rename l')).toEqual([`luz\tLuis Solano, ${iban}`])
  })
})

describe('payees update', () => {
  it('has a person accept another holder', async () => {
    const { service, cli, saved } = await setUp()
    await add(cli)
    holdBy(service, { name: 'Juan Pérez' })
    expect((await cli.run('payees', 'update', 'luz')).code).toBe(2)
    expect((await cli.ask('n\n', 'payees', 'update', 'luz')).code).toBe(2)
    expect(saved().payees).toMatchObject([{ holder: 'Luis Solano' }])
    expect((await cli.run('payees', 'verify', '--json')).code).toBe(6)
    expect(saved().payees).toMatchObject([{ holder: 'Luis Solano' }])
    expect((await cli.ask('y\n', 'payees', 'update', 'luz')).code).toBe(0)
    expect(saved().payees).toMatchObject([{ holder: 'Juan Pérez' }])
    expect((await cli.run(...send, '--yes')).code).toBe(0)
  })
})
