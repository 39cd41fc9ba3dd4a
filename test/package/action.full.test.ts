import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { digestOf } from '../../.build/package/digests.ts'
import { sign } from '../../.build/package/release_steps.ts'
import manifest from '../../package.json' with { type: 'json' }
import { endpoints } from '../../src/contract/index.ts'
import { installPrograms } from '../ecosystem/install.ts'
import { temporaryDirectory } from '../support/run_payctl.ts'
import { serve } from '../support/server.ts'
import { builtPackages } from './built_packages.ts'
import { releaseKey } from './release_key.ts'

const folder = fileURLToPath(new URL('../../.github/actions/setup-payctl', import.meta.url))

interface Step {
  readonly if?: string
  readonly run: string
  readonly env: Readonly<Record<string, string>>
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
  readonly runs: { readonly steps: readonly Step[] }
}

const action: Action = parse(readFileSync(join(folder, 'action.yml'), 'utf8'))

let payctl = ''

beforeAll(async () => {
  await installPrograms({ curl: 'curl' })
  payctl = (await builtPackages()).file
}, 900_000)

/** A server with the files of a release, which has one executable. */
async function release(executable: string) {
  const files = await temporaryDirectory()
  const name = `payctl-${manifest.version}-linux-x64`
  writeFileSync(join(files, 'SHA256SUMS'), `${digestOf(executable)}  ${name}\n`)
  const { key, signers, allowed } = releaseKey(files, 'key')
  sign(files, key, signers)
  const url = await serve((request, response) => {
    const path = basename(request.url ?? '')
    createReadStream(path === name ? executable : join(files, path))
      .on('error', () => response.writeHead(404).end())
      .pipe(response)
  })
  return { files, inputs: { version: manifest.version, releases: `${url}/v{version}`, 'allowed-signers': allowed } }
}

/** Runs the steps of the action as GitHub's runner does, on Linux x64. */
async function runAction(inputs: Readonly<Record<string, string>>) {
  const home = await temporaryDirectory()
  const path = (name: string) => join(home, name)
  for (const name of ['env', 'path', 'output']) writeFileSync(path(name), '')
  const lines = (name: string) => readFileSync(path(name), 'utf8').split('\n').filter(Boolean)
  const given = (name: string) => inputs[name] ?? action.inputs[name]?.default ?? ''
  let output = ''
  for (const step of action.runs.steps) {
    if (step.if === "inputs.emulator == 'true'" && given('emulator') !== 'true') continue
    const own = Object.entries(step.env).map(([name, value]) => [
      name,
      value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, input) => given(input)),
    ])
    const env = {
      HOME: home,
      PATH: [...lines('path'), dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
      RUNNER_OS: 'Linux',
      RUNNER_ARCH: 'X64',
      RUNNER_TEMP: home,
      GITHUB_ACTION_PATH: folder,
      GITHUB_ENV: path('env'),
      GITHUB_PATH: path('path'),
      GITHUB_OUTPUT: path('output'),
      ...Object.fromEntries(own),
    }
    const ran = await execa('bash', ['-eo', 'pipefail', '-c', step.run], {
      env,
      extendEnv: false,
      reject: false,
      all: true,
    })
    output += ran.all
    if (ran.exitCode !== 0) return { ok: false, output, lines, env }
  }
  return { ok: true, output, lines }
}

/** A small program instead of payctl. */
async function program(): Promise<string> {
  const file = join(await temporaryDirectory(), 'program')
  writeFileSync(file, '#!/bin/sh\necho 0.0.0\n')
  return file
}

describe('the action', () => {
  it.each([
    ['with the default options', {}, 'payctl-demo-token'],
    [
      'with options on several lines',
      { 'emulator-options': '--settle instant\n--token token-of-the-second-line\n' },
      'token-of-the-second-line',
    ],
  ])('installs payctl, and starts an emulator for the following steps, %s', async (_, options, token) => {
    const { inputs } = await release(payctl)
    const { output, lines } = await runAction({ ...inputs, ...options, emulator: 'true' })
    expect(output).toContain(`Installed payctl ${manifest.version}`)
    const env = Object.fromEntries(lines('env').map((line) => line.split('=')))
    const url: string = env.PAYCTL_BASE_URL
    const [bin = ''] = lines('path')
    const stop = () => execa(join(bin, 'payctl'), ['emulator', 'stop', url], { env: { HOME: dirname(dirname(bin)) } })
    onTestFinished(async () => void (await stop()))
    expect(lines('output')).toEqual([`base-url=${url}`])
    expect(env.PAYCTL_TOKEN).toBe(token)
    const { status } = await fetch(`${url}${endpoints['accounts.list'].path}`, {
      headers: { Authorization: `Bearer ${env.PAYCTL_TOKEN}` },
    })
    expect(status).toBe(200)
    expect(Object.values(env)).not.toContain('')
  })

  it('starts no emulator unless the workflow asks for it', async () => {
    const { inputs } = await release(await program())
    const { ok, lines } = await runAction(inputs)
    expect({ ok, env: lines('env') }).toEqual({ ok: true, env: [] })
  })

  it('refuses a file that differs from its digest', async () => {
    const executable = await program()
    const { inputs } = await release(executable)
    writeFileSync(executable, '#!/bin/sh\necho other\n')
    expect(await refusal(inputs)).toContain('differs from its signed digest')
  })

  it('refuses a list that was changed after it was signed', async () => {
    const { files, inputs } = await release(await program())
    writeFileSync(join(files, 'SHA256SUMS'), `${'0'.repeat(64)}  payctl-${manifest.version}-linux-x64\n`)
    expect(await refusal(inputs)).toContain('No allowed signer has signed SHA256SUMS')
  })

  it('refuses a list that somebody else has signed', async () => {
    const { inputs } = await release(await program())
    const { allowed } = releaseKey(await temporaryDirectory(), 'other')
    expect(await refusal({ ...inputs, 'allowed-signers': allowed })).toContain(
      'No allowed signer has signed SHA256SUMS',
    )
  })

  it.each([
    ['a version that is a path', { version: '../0.1.0' }, "'../0.1.0' is not a version of payctl"],
    [
      'a version that was not released',
      { version: '9.9.9' },
      'SHA256SUMS of payctl 9.9.9 has no payctl-9.9.9-linux-x64',
    ],
    [
      'a folder that does not exist',
      { releases: 'http://127.0.0.1:9/{version}' },
      "SHA256SUMS of payctl 0.1.0 can't be downloaded",
    ],
  ])('refuses %s', async (_, change, message) => {
    const { inputs } = await release(await program())
    expect(await refusal({ ...inputs, ...change })).toContain(message)
  })
})

/** Message of an action that fails and installs nothing. */
async function refusal(inputs: Readonly<Record<string, string>>): Promise<string> {
  const { ok, output, lines, env } = await runAction(inputs)
  expect({ ok, path: lines('path'), env: lines('env') }).toEqual({ ok: false, path: [], env: [] })
  expect(existsSync(join(env?.RUNNER_TEMP ?? '', `payctl-${manifest.version}/bin/payctl`))).toBe(false)
  return /^::error::(.+)$/m.exec(output)?.[1] ?? output
}
