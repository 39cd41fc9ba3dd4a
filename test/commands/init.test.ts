import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmulator } from '../../emulator/index.ts'
import { freshMachine, type Machine } from '../auth/logged_in.ts'
import { announceAll, announcementOf } from '../config/ready.ts'
import { keys, openPayctl, type Terminal } from '../support/terminal.ts'

const { down, enter, interrupt } = keys

const start = (machine: Machine, flags: readonly string[] = [], env = {}): Terminal =>
  openPayctl(['init', ...flags], {
    env: { ...machine.env, HOME: machine.home, SHELL: '/bin/bash', ...env },
    columns: 80,
  })

const configOf = ({ configDir }: Machine) => JSON.parse(readFileSync(join(configDir, 'config.json'), 'utf8'))

async function atService() {
  const emulator = await startEmulator({ rateLimit: null })
  onTestFinished(emulator.close)
  return { emulator, machine: await freshMachine() }
}

describe('payctl init', () => {
  it('asks for service, login, account and completion, and the next command works', async () => {
    const { emulator, machine } = await atService()
    const terminal = start(machine)
    await terminal.answer('Which service do you use?', enter)
    await terminal.answer('Base URL:', `${emulator.baseUrl}${enter}`)
    await terminal.answer('How do you log in?', `${down}${enter}`)
    await terminal.answer('Token from the dashboard', `${emulator.token}${enter}`)
    await terminal.answer('Pay by default from:', enter)
    await terminal.answer('Complete payctl with Tab in bash?', enter)
    expect(await terminal.ended).toBe(0)

    expect(terminal.screen).toContain(`$ payctl profiles set default --base-url ${emulator.baseUrl}`)
    expect(terminal.screen).toContain('$ payctl login -p default --with-token')
    expect(terminal.screen).toContain('payctl is set up. To begin: payctl status')
    expect(terminal.written).not.toContain(emulator.token)
    const { from, base_url } = configOf(machine).profiles.default
    expect(base_url).toBe(emulator.baseUrl)
    expect(readFileSync(join(machine.home, '.bashrc'), 'utf8')).toBe('eval "$(payctl completion bash)"\n')
    const accounts = JSON.parse(String((await machine.start(['accounts', 'list', '--json'])).stdout))
    expect(accounts.map(({ id = '' }) => id)).toContain(from)
  })

  it('keeps what is there: a second run changes nothing where nothing else is chosen', async () => {
    const { emulator, machine } = await atService()
    await machine.start(['profiles', 'set', 'default', '--base-url', emulator.baseUrl])
    await machine.start(['login', '--with-token'], { stdin: 'pipe', input: emulator.token })
    writeFileSync(join(machine.home, '.bashrc'), 'eval "$(payctl completion bash)"')
    const before = configOf(machine)
    const terminal = start(machine)
    await terminal.answer(`${emulator.baseUrl}, as now`, enter)
    await terminal.answer('Stay logged in as María', enter)
    await terminal.answer('Pay by default from:', `${down}${down}${down}${enter}`)
    await terminal.shows('already sets up completion for payctl')
    expect(await terminal.ended).toBe(0)
    expect(configOf(machine)).toEqual(before)
  })

  it('leaves the profile of another service as it is', async () => {
    const { emulator, machine } = await atService()
    await machine.start(['profiles', 'set', 'default', '--base-url', 'https://api.example.com'])
    const terminal = start(machine)
    await terminal.answer('as now', `${down}${enter}`)
    await terminal.answer('Base URL:', `${emulator.baseUrl}${enter}`)
    await terminal.answer('Name of a new profile:', `default${enter}`)
    await terminal.answer('Profile default already exists', `${keys.backspace.repeat(7)}test${enter}`)
    await terminal.answer('How do you log in?', `${down}${down}${enter}`)
    await terminal.answer('Complete payctl', `${down}${enter}`)
    expect(await terminal.ended).toBe(0)
    expect(configOf(machine)).toMatchObject({
      current: 'test',
      profiles: { default: { base_url: 'https://api.example.com' }, test: { base_url: emulator.baseUrl } },
    })
    expect(existsSync(join(machine.home, '.bashrc'))).toBe(false)
  })

  it('offers the emulator that runs, and sets its account by currency', async () => {
    const { emulator, machine } = await atService()
    announceAll(machine.env.PAYCTL_STATE_DIR, [announcementOf(emulator)])
    const terminal = start(machine)
    await terminal.answer('The emulator at', enter)
    await terminal.answer('Pay by default from:', enter)
    await terminal.answer('Complete payctl', `${down}${enter}`)
    expect(await terminal.ended).toBe(0)
    expect(configOf(machine)).toMatchObject({ current: 'emulator', profiles: { emulator: { from: 'CRC' } } })
    expect((await machine.start(['user', '--json'])).exitCode).toBe(0)
  })

  it('can skip every step', async () => {
    const { machine } = await atService()
    const terminal = start(machine, [], { SHELL: '/bin/tcsh' })
    await terminal.answer('Which service do you use?', `${down}${enter}`)
    await terminal.shows('No service is set. To set one: payctl init')
    expect(await terminal.ended).toBe(0)
    expect(existsSync(machine.configDir)).toBe(false)
  })

  it('keeps the steps before Ctrl-C', async () => {
    const { emulator, machine } = await atService()
    const terminal = start(machine, ['--base-url', emulator.baseUrl])
    await terminal.answer('How do you log in?', interrupt)
    expect(await terminal.ended).toBe(130)
    expect(configOf(machine).profiles.default.base_url).toBe(emulator.baseUrl)
  })

  it('without a terminal names the commands that do the same', async () => {
    const { machine } = await atService()
    const { exitCode, stdout, stderr } = await machine.start(['init', '-p', 'prod'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    for (const command of [
      'profiles set prod --base-url',
      'login -p prod --with-token',
      'profiles set prod --from',
      'completion',
    ])
      expect(stderr).toContain(`payctl ${command}`)
  })
})

describe('a command without a service', () => {
  it('names what sets one, and a running emulator', async () => {
    const { emulator, machine } = await atService()
    const alone = await machine.start(['user'])
    expect(alone.exitCode).toBe(2)
    expect(alone.stderr).toContain('No service is set')
    for (const offer of [
      'payctl login --base-url <url>',
      'payctl profiles set default --base-url <url>',
      'payctl emulate',
      'payctl init',
    ])
      expect(alone.stderr).toContain(offer)
    announceAll(machine.env.PAYCTL_STATE_DIR, [announcementOf(emulator)])
    const beside = await machine.start(['user'])
    expect(beside.stderr).toMatch(/An emulator is running: add --emulator\b/)
  })
})
