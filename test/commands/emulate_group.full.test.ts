import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isRunning } from '../../src/run/processes.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { startRun } from '../support/started.ts'
import { openPayctl } from '../support/terminal.ts'

/** A grandchild of payctl that only SIGKILL ends. The grandchild prints its process id. */
const stubborn = `
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(name, () => {});
  setInterval(() => {}, 1e9);
  console.log(process.pid)`

const inOneLine = (script: string) => script.replaceAll('\n', ' ')

/** Starts the grandchild like npm: through a shell, which ends at signals without passing them on. */
const starting = `'${process.execPath}' -e "${inOneLine(stubborn)}" & wait`

async function emulate(...command: readonly string[]) {
  const env = { PAYCTL_STATE_DIR: join(await temporaryDirectory(), 'state') }
  const run = startRun(['emulate', '--', ...command], {
    env,
    process: true,
    stdin: 'ignore',
    forceKillAfterDelay: false,
  })
  onTestFinished(() => void run.kill('SIGKILL'))
  const grandchild = Number(String((await once(run.stdout, 'data'))[0]))
  onTestFinished(() => {
    if (isRunning(grandchild, null)) process.kill(grandchild, 'SIGKILL')
  })
  return { run, grandchild }
}

describe('what the command of payctl emulate has started', () => {
  it('gets the signal too, and is killed if it stays', async () => {
    const { run, grandchild } = await emulate('sh', '-c', starting)
    run.kill('SIGTERM')
    expect(await run).toMatchObject({ exitCode: 143 })
    expect(isRunning(grandchild, null)).toBe(false)
  })

  it('gets SIGQUIT too, and is killed if it stays', async () => {
    const { run, grandchild } = await emulate('sh', '-c', starting)
    run.kill('SIGQUIT')
    expect(await run).toMatchObject({ exitCode: 131 })
    expect(isRunning(grandchild, null)).toBe(false)
  })

  it('ends with the command', async () => {
    const said = join(await temporaryDirectory(), 'said')
    const waiting = `{ '${process.execPath}' -e "${inOneLine(stubborn)}" >'${said}' & }; until [ -s '${said}' ]; do sleep 0.05; done`
    const { run, grandchild } = await emulate('sh', '-c', `${waiting}; cat '${said}'; exit 5`)
    expect(await run).toMatchObject({ exitCode: 5 })
    expect(isRunning(grandchild, null)).toBe(false)
  })

  it('gets SIGTERM after SIGINT too, as from services that stop jobs', async () => {
    const script =
      "process.on('SIGINT', () => console.log('interrupted')); setInterval(() => {}, 1e9); console.log(process.pid)"
    const { run } = await emulate(process.execPath, '-e', script)
    run.kill('SIGINT')
    await once(run.stdout, 'data')
    run.kill('SIGTERM')
    expect(await run).toMatchObject({ exitCode: 143 })
  })

  it('is killed when it does not end within ten seconds of SIGTERM', async () => {
    const { run } = await emulate(process.execPath, '-e', stubborn)
    run.kill('SIGTERM')
    expect(await run).toMatchObject({ exitCode: 137 })
  })

  it('is killed at once by a second Ctrl-C', async () => {
    const { run, grandchild } = await emulate(process.execPath, '-e', stubborn)
    // Repeats the signal, because two signals at the same time count as one Ctrl-C that a parent passed on.
    const again = setInterval(() => run.kill('SIGINT'), 100)
    onTestFinished(() => clearInterval(again))
    expect(await run).toMatchObject({ exitCode: 130 })
    await expect.poll(() => isRunning(grandchild, null)).toBe(false)
  })
})

describe('at a terminal, the command of payctl emulate', () => {
  const state = async () => ({ env: { PAYCTL_STATE_DIR: await temporaryDirectory() } })

  it('can be typed to', async () => {
    const script =
      "process.stdout.write('your name? '); process.stdin.once('data', (name) => { console.log('hello ' + name); process.exit() })"
    const terminal = openPayctl(['emulate', '--', process.execPath, '-e', script], await state())
    await terminal.answer('your name?', 'Ana\r')
    expect(await terminal.ended).toBe(0)
    expect(terminal.screen).toContain('hello Ana')
  })

  it('gets Ctrl-C once, with all that it has started', async () => {
    const script = (name: string) =>
      `process.on('SIGINT', () => { console.log('${name} stopped'); setTimeout(() => process.exit(9), 300) }); setInterval(() => {}, 1e9)`
    const inner = `${script('inner')}; console.log('ready')`
    const outer = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], { stdio: 'inherit' }); ${script('outer')}`
    const terminal = openPayctl(['emulate', '--', process.execPath, '-e', outer], await state())
    await terminal.answer('ready', '\x03')
    expect(await terminal.ended).toBe(9)
    expect(terminal.written.match(/inner stopped/g)).toHaveLength(1)
    expect(terminal.written.match(/outer stopped/g)).toHaveLength(1)
  })
})
