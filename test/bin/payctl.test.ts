import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { parse } from 'acorn'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { Installation } from './installation.ts'

const echo = `exports.main = async (argv) => { console.log(argv.join(' ')); return 7 }`

/** Prints `ready`, waits for a signal, and prints its name. */
const patient = `exports.main = (argv, env, io, signal) => new Promise((resolve) => {
  const alive = setInterval(() => {}, 1000)
  signal.onabort = () => {
    io.stdout.write(signal.reason)
    if (argv[0] !== 'stubborn') { clearInterval(alive); resolve(130) }
  }
  signal.addEventListener('further', ({ detail }) => io.stdout.write(detail))
  io.stdout.write('ready')
})`

const suicidal = `exports.main = async () => { process.removeAllListeners('SIGTERM'); process.kill(process.pid, 'SIGTERM') }`

async function isReady({ stdout }: { readonly stdout: Readable }): Promise<void> {
  await once(stdout, 'data')
}

describe('bin/payctl.js', () => {
  it.each(['payctl.js', 'compile_cache.js'])('%s is in syntax that every Node reads', (name) => {
    const source = readFileSync(new URL(`../../bin/${name}`, import.meta.url), 'utf8')
    expect(() => parse(source, { ecmaVersion: 5, allowHashBang: true })).not.toThrow()
  })

  it('prints the version without the bundle', async () => {
    expect(await new Installation().run(['--version'])).toMatchObject({ exitCode: 0, stdout: manifest.version })
  })

  it('passes arguments on and exits with what main returns', async () => {
    expect(await new Installation(echo).run(['a', 'b c'])).toMatchObject({ exitCode: 7, stdout: 'a b c' })
  })

  it('never exits with 0 if the run ends without a result', async () => {
    const result = await new Installation('exports.main = () => new Promise(() => {})').run(['a'])

    expect(result).toMatchObject({ exitCode: 10, stdout: '' })
    expect(result.stderr).toMatch(/^payctl: .* without a result.* payctl payments outbox$/)
  })

  it('says in one line that it is not built', async () => {
    const result = await new Installation().run(['user'])
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toMatch(/^payctl: not built yet\. Run npm ci, or npm run build, in .+$/)
  })

  it.each([
    ['20.20.2', false],
    ['22.22.1', false],
    ['22.22.2', true],
    ['22.30.0', true],
    ['23.11.0', false],
    ['24.14.9', false],
    ['24.15.0', true],
    ['25.9.0', false],
    ['26.0.0', true],
    ['27.1.0', true],
  ])('on Node %s runs: %s', async (version, runs) => {
    const result = await new Installation().runOnNode(version, ['--version'])
    expect(result.exitCode).toBe(runs ? 0 : 2)
  })

  it('says in one line which Node it needs', async () => {
    const result = await new Installation(echo).runOnNode('0.10.48', ['user'])
    expect(result).toMatchObject({ exitCode: 2, stdout: '' })
    expect(result.stderr).toBe(
      'payctl: this is Node 0.10.48 and payctl needs 22.22.2+, 24.15.0+, 26+. Install one of these; in a checkout, npm ci does.',
    )
  })

  it('interrupts main with the name of the signal', async () => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) {
      const child = new Installation(patient).run([])
      await isReady(child)
      child.kill(name)
      expect(await child).toMatchObject({ exitCode: 130, stdout: `ready${name}` })
    }
  })

  it.each([
    ['a part of it', `exports.main = async () => require('./gone.cjs')`],
    ['the bundle', `require('./gone.cjs')`],
  ])('says in one line that it cannot go on without %s', async (_, bundle) => {
    const result = await new Installation(bundle).run([])
    expect(result.exitCode).toBe(1)
    expect(result.stderr).toMatch(/^payctl: Cannot find module '.\/gone.cjs'$/)
  })

  it('ends at once on a second Ctrl-C, but not on the echo of the first', async () => {
    const installation = new Installation(patient)
    const clock = installation.write('now', '1000')
    const disguise = installation.write('clock.cjs', `Date.now = () => +require('fs').readFileSync('${clock}')`)
    const child = installation.run(['stubborn'], { env: { NODE_OPTIONS: `--require=${disguise}` } })
    await isReady(child)
    child.kill('SIGINT')
    await once(child.stdout, 'data')
    installation.write('now', '1250')
    child.kill('SIGINT')
    child.kill('SIGTERM')
    await once(child.stdout, 'data')
    installation.write('now', '1251')
    child.kill('SIGINT')
    expect(await child).toMatchObject({ exitCode: 130, stdout: 'readySIGINTSIGTERMSIGKILL' })
  })

  it('does without a compile cache where there is none, as on Deno', async () => {
    const installation = new Installation(echo)
    const disguise = installation.write('deno.cjs', `delete require('module').enableCompileCache`)
    const result = await installation.run(['a'], { env: { NODE_OPTIONS: `--require=${disguise}` } })
    expect(result).toMatchObject({ exitCode: 7, stdout: 'a', stderr: '' })
  })

  it('waits for no name server when it ends', async () => {
    const { folder } = new Installation()
    // glibc looks for aliases in this pipe, to which nobody writes.
    const fifo = join(folder, 'fifo')
    await execa('mkfifo', [fifo])
    const lookup = `exports.main = (argv, env, io) => new Promise((resolve) => {
      require('dns').lookup('nowhere', () => {})
      io.stdin.once('data', () => io.stdout.write('written', () => resolve(12)))
    })`
    const run = new Installation(lookup).run([], { env: { HOSTALIASES: fifo }, timeout: 15_000, killSignal: 'SIGKILL' })
    const lookedUp = await open(fifo, 'w') // resolves when glibc opens the pipe
    onTestFinished(() => lookedUp.close())
    run.stdin.write('go')
    expect(await run).toMatchObject({ exitCode: 12, stdout: 'written', stderr: '' })
  }, 20_000)

  describe('on an old Node in a checkout', () => {
    it('runs on the Node that npm ci installed', async () => {
      const result = await new Installation(echo).withPinnedNode().runOnNode('18.0.0', ['a', 'b c'])
      expect(result).toMatchObject({ exitCode: 7, stdout: 'a b c', stderr: '' })
    })

    it('passes signals on', async () => {
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) {
        const child = new Installation(patient).withPinnedNode().runOnNode('18.0.0', [])
        await isReady(child)
        child.kill(name)
        expect(await child).toMatchObject({ exitCode: 130, stdout: `ready${name}` })
      }
    })

    it('ends when its launcher is killed, without a trace in the environment of its command', async () => {
      const telling = `exports.main = (argv, env, io, signal) => new Promise((resolve) => {
        setTimeout(resolve, 10_000) // keeps a payctl that nobody ends from staying behind
        signal.onabort = () => io.stdout.write(signal.reason, resolve)
        io.stdout.write(JSON.stringify(Object.keys(process.env).filter((name) => /LAUNCH|CHANNEL/.test(name))))
      })`
      const launcher = new Installation(telling).withPinnedNode().runOnNode('18.0.0', [])
      await isReady(launcher)
      launcher.kill('SIGKILL')
      expect(await launcher).toMatchObject({ signal: 'SIGKILL', stdout: '[]SIGTERM' })
    })

    it('ends by the signal that ended payctl', async () => {
      const result = await new Installation(suicidal).withPinnedNode().runOnNode('18.0.0', [])
      expect(result.signal).toBe('SIGTERM')
    })
  })
})
