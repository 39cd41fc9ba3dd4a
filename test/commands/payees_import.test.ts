import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { payctlCommand } from '../support/program.ts'
import { payctl } from './payments/payctl.ts'
import { holder, iban, startService } from './payments/service.ts'

const setUp = async () => {
  const service = await startService()
  const cli = payctl(service.url)
  const folder = dirname(cli.stateDir)
  const file = (text: string, name = 'list.csv') => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const saved = () => JSON.parse(readFileSync(join(folder, 'config', 'payees.json'), 'utf8')).payees
  const plan = async (...argv: string[]) => {
    const { code, stdout, stderr } = await cli.run('payees', 'import', ...argv, '--json')
    return { code, stderr, actions: JSON.parse(stdout).map(({ name = '', action = '' }) => `${name} ${action}`) }
  }
  return { service, cli, folder, file, saved, plan }
}

const list = `nombre;cuenta;teléfono;titular;nota\nluz;${iban};;LUIS  SOLANO;contract 4411\nana;;8700-0001;;\n`

describe('payees import', () => {
  it('saves the payees of a file once, with the holders as the service gives them', async () => {
    const { file, plan, saved } = await setUp()
    const path = file(list)
    expect(await plan(path, '--dry-run')).toMatchObject({ code: 0, actions: ['luz add', 'ana add'] })
    expect(saved).toThrow('ENOENT')
    expect(await plan(path, '--yes')).toMatchObject({ code: 0, actions: ['luz add', 'ana add'] })
    expect(saved()).toMatchObject([
      { name: 'luz', iban, holder: 'Luis Solano', note: 'contract 4411' },
      { name: 'ana', phone: '87000001', note: null },
    ])
    expect(await plan(path, '--yes')).toMatchObject({ code: 0, actions: ['luz keep', 'ana keep'] })
    const noted = file(list.replace('4411', '4412'))
    expect(await plan(noted, '--yes')).toMatchObject({ code: 0, actions: ['luz change', 'ana keep'] })
    expect(saved()).toHaveLength(2)
  })

  it('shows and asks at a terminal, and without one needs --yes', async () => {
    const { cli, file, saved } = await setUp()
    const path = file(list)
    expect((await cli.run('payees', 'import', path)).code).toBe(2)
    const { code, stderr } = await cli.ask('n\n', 'payees', 'import', path)
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('Save 2 payees?') })
    expect(saved).toThrow('ENOENT')
    expect((await cli.ask('y\n', 'payees', 'import', path)).code).toBe(0)
    expect(saved()).toHaveLength(2)
  })

  it('names a missing file before it asks for a terminal', async () => {
    const { cli } = await setUp()
    const { code, stderr } = await cli.run('payees', 'import', 'nowhere.csv')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("nowhere.csv can't be read") })
    expect(stderr).not.toContain('terminal')
  })

  it('looks several holders up at a time, and lists them in the order of the file', async () => {
    const { service, file, plan } = await setUp()
    const phones = [1, 2, 3, 4].map((digit) => `8700000${digit}`)
    const held: (() => void)[] = []
    service.before = ({ path }, response) => {
      if (!path.startsWith('/api/phone/information/')) return undefined
      const data = { ...holder, phone_number: path.split('/').at(-1) }
      held.unshift(() => response.end(JSON.stringify({ success: true, message: 'Done', data })))
      if (held.length === phones.length) for (const answer of held) answer()
      return 'handled'
    }
    const path = file(['name,to', ...phones.map((phone, at) => `payee-${'abcd'[at]},${phone}`), ''].join('\n'))
    const { code, actions } = await plan(path, '--yes')
    expect({ code, actions }).toEqual({ code: 0, actions: ['a', 'b', 'c', 'd'].map((name) => `payee-${name} add`) })
  })

  it('refuses a payee whose holder differs, and one that is too similar, and saves the others', async () => {
    const { cli, file, plan, saved } = await setUp()
    await cli.run('payees', 'add', 'agua', '--to', iban)
    const path = file(`name,to,holder\nluz,${iban},Juan Pérez\nágua,${iban},\nana,8700 0001,\n`)
    const { code, stderr, actions } = await plan(path, '--yes')
    expect({ code, actions }).toEqual({ code: 6, actions: ['luz refuse', 'água refuse', 'ana add'] })
    expect(stderr).toContain('Refused, and not saved: luz, água.')
    expect(saved().map(({ name = '' }) => name)).toEqual(['agua', 'ana'])
  })

  it('gives a saved name another address only if a person agrees', async () => {
    const { cli, file, saved } = await setUp()
    await cli.run('payees', 'add', 'luz', '--to', '87000001')
    const path = file(`name,to\nLUZ,${iban}\n`)
    const refused = await cli.run('payees', 'import', path, '--yes')
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('another IBAN or phone for luz') })
    expect((await cli.ask('n\n', 'payees', 'import', path)).code).toBe(2)
    expect(saved()).toMatchObject([{ phone: '87000001' }])
    const { code, stderr } = await cli.ask('y\n', 'payees', 'import', path)
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('8700 0001') })
    expect(saved()).toMatchObject([{ name: 'luz', iban }])
    expect(saved()[0]).not.toHaveProperty('phone')
  })

  it('names every wrong row, and saves nothing', async () => {
    const { service, cli, file, saved } = await setUp()
    const path = file(`name,to\nluz,${iban.replace('05', '06')}\n88881234,${iban}\nana,\nluis,${iban}\nLuis,${iban}\n`)
    const { code, stderr } = await cli.run('payees', 'import', path, '--yes')
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('4 rows are wrong') })
    for (const line of [2, 3, 4, 6]) expect(stderr).toContain(`line ${line}`)
    expect(saved).toThrow('ENOENT')
    expect(service.received).toHaveLength(0)
    const other = await cli.run('payees', 'import', file('a,b\n1,2\n'), '--yes')
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('no headings "name" and "to"') })
  })

  it.skipIf(process.platform === 'win32')('export writes to a pipe that a program reads', async () => {
    const { cli, folder, file, plan } = await setUp()
    await plan(file(list), '--yes')
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const lonely = await cli.run('payees', 'export', '--output-file', pipe)
    expect(lonely).toMatchObject({ code: 2, stderr: expect.stringContaining(`${pipe} can't be written: no program`) })
    const reader = execa('cat', [pipe])
    expect(await cli.run('payees', 'export', '--output-file', pipe)).toMatchObject({ code: 0 })
    expect((await reader).stdout).toContain('luz')
  })

  it.skipIf(process.platform === 'win32')('export writes to /dev/stdout, even to a socket', async () => {
    const { service, folder, file, plan } = await setUp()
    await plan(file(list), '--yes')
    const [program, args] = payctlCommand([
      'payees',
      'export',
      '--output-file',
      '/dev/stdout',
      '--base-url',
      service.url,
    ])
    // Node gives its children sockets.
    const env = { PAYCTL_CONFIG_DIR: join(folder, 'config'), PAYCTL_STATE_DIR: join(folder, 'state') }
    const { stdout, stderr } = await execa(program, args, { env, reject: false, input: '' })
    expect(stderr).toBe('Wrote 2 payees to /dev/stdout.')
    expect(stdout).toContain('luz')
  })

  it.each(['out.csv', 'out.xlsx'])('reads what export writes to %s', async (name) => {
    const { cli, folder, file, plan, saved } = await setUp()
    await plan(file(list.replace('contract', '=contract | +506')), '--yes')
    const before = saved()
    const path = join(folder, name)
    expect(await cli.run('payees', 'export', '--output-file', path)).toMatchObject({ code: 0, stdout: '' })
    expect((await cli.run('payees', 'export', '--output-file', path)).code).toBe(2)
    expect(await plan(path, '--yes')).toMatchObject({ code: 0, actions: ['ana keep', 'luz keep'] })
    await cli.run('payees', 'remove', 'luz', '--yes')
    expect(await plan(path, '--yes')).toMatchObject({ code: 0, actions: ['ana keep', 'luz add'] })
    expect(
      saved()
        .map(({ note = '' }) => note)
        .toSorted(),
    ).toEqual(before.map(({ note = '' }) => note).toSorted())
  })
})
