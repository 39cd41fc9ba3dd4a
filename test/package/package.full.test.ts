import { readFileSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { packed } from './packed.ts'

const { folder, payctl, contents } = packed()
const tsc = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url))

const run = (args: readonly string[]) => execa(process.execPath, args, { cwd: folder, reject: false })

describe('the packed package', () => {
  it('holds what is used and nothing else', () => {
    expect(contents).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'SECURITY.md',
        'bin/payctl.js',
        'dist/cli/main.cjs',
        'dist/cli/jq.wasm',
        'dist/lib/index.js',
      ]),
    )
    expect(
      contents.filter((path) => !/^(bin|dist)\/|^(LICENSE|(README|CHANGELOG|SECURITY)\.md|package\.json)$/.test(path)),
    ).toEqual([])
  })

  it('imports nothing that it does not depend on', () => {
    const allowed = new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }))
    const sources = contents.filter((path) => /^dist\/(lib|types)\/.*\.(c?js|d\.c?ts)$/.test(path))
    const imported = sources.flatMap((path) =>
      [
        ...readFileSync(join(payctl, path), 'utf8').matchAll(
          /^(?:(?:import|export)[^'"\n]*? from |(?:let|const|var) \w+ = require\()['"]([^'".][^'"]*)['"]/gm,
        ),
      ].map(([, name]) => name ?? ''),
    )
    expect(imported).not.toEqual([])
    expect(imported.filter((name) => !isBuiltin(name) && !allowed.has(name))).toEqual([])
  })

  it('names the licence of everything bundled', () => {
    const notices = readFileSync(join(payctl, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8').split(`\n${'-'.repeat(80)}\n\n`)
    for (const [name, holder] of [
      ['commander', 'TJ Holowaychuk'],
      ['undici', 'Matteo Collina'],
      ['undici', 'llhttp-wasm.js contains llhttp \\d\\S+ .*Fedor Indutny'],
      ['jq-wasm', 'Stephen Dolan.*K.Kosako.*International Business Machines'],
    ]) {
      expect(notices).toContainEqual(expect.stringMatching(new RegExp(`^${name} \\d[^\\n]+\\n\\n.*${holder}`, 's')))
    }
    const heading = /^\S+ \d\S+ \([^)\n]+\)\n\n/
    const grant = /Permission is hereby\s+granted|Permission to use,|Redistribution and use|Apache License/
    expect(notices.filter((notice) => !heading.test(notice) || !grant.test(notice))).toEqual([])
  })

  it('runs', async () => {
    expect(await run(['node_modules/payctl/bin/payctl.js', '--version'])).toMatchObject({
      exitCode: 0,
      stdout: manifest.version,
    })
    const help = await run(['node_modules/payctl/bin/payctl.js', '--help'])
    expect(help).toMatchObject({ exitCode: 0, stderr: '' })
    expect(help.stdout).toContain('Usage: payctl')
    const filtered = await run(['node_modules/payctl/bin/payctl.js', 'openapi', '--jq', '.openapi'])
    expect(filtered).toMatchObject({ exitCode: 0, stdout: '3.1.0', stderr: '' })
  })

  it('gives the library nothing that only the command line needs', () => {
    const library = contents.filter((path) => path.startsWith('dist/lib/'))
    const text = library.map((path) => readFileSync(join(payctl, path), 'utf8')).join('\n')
    expect(text).not.toMatch(/node_modules\/(jq-wasm|commander|chalk|string-width|@inquirer)\//)
    expect(library.filter((path) => path.endsWith('.wasm'))).toEqual([])
  })

  it('starts the emulator and calls it, as a library', async () => {
    writeFileSync(
      join(folder, 'suite.mjs'),
      `import { createClient } from 'payctl'
       import { startEmulator } from 'payctl/emulator'
       const emulator = await startEmulator()
       const client = createClient({ baseUrl: emulator.baseUrl, token: emulator.token })
       console.log((await client.call('accounts.list')).data.length)
       await client.close()
       await emulator.close()`,
    )
    expect(await run(['suite.mjs'])).toMatchObject({ exitCode: 0, stdout: '2', stderr: '' })
  })
})

describe('its types', { timeout: 120_000 }, () => {
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--pretty',
    'false',
    '--types',
    '',
  ]
  const compile = async (text: string) => {
    writeFileSync(join(folder, 'suite.mts'), text)
    return execa(tsc, [...options, 'suite.mts'], { cwd: folder, reject: false })
  }

  it('compile in a project that has nothing else installed', async () => {
    const result = await compile(`
      import { createClient } from 'payctl'
      import { startEmulator } from 'payctl/emulator'
      const emulator = await startEmulator({ port: 0 })
      const client = createClient({ baseUrl: emulator.baseUrl, token: emulator.token })
      const { status } = await client.call('payments.get', { params: { id: 'x' } })
      export const last: 'pending' | 'processing' | 'completed' | string | null | undefined = status
      const strict = createClient({ baseUrl: emulator.baseUrl, token: emulator.token, strict: true })
      const payment = await strict.call('payments.get', { params: { id: 'x' } })
      export const exact: 'pending' | 'processing' | 'completed' | string = payment.status`)
    expect(result.stdout).toBe('')
    expect(result.exitCode).toBe(0)
  })

  it('refuse an endpoint that does not exist and input that does not fit', async () => {
    const { stdout } = await compile(`
      import { createClient } from 'payctl'
      const client = createClient({ baseUrl: '' })
      await client.call('payments.cancel')
      await client.call('payments.get', { params: { id: 1 } })`)
    expect(stdout).toContain(`"payments.cancel"`)
    expect(stdout).toContain(`Type 'number' is not assignable to type 'string'`)
  })
})

describe('package.json', () => {
  it('exports files that exist', () => {
    const { exports, main, types, typesVersions } = manifest
    // Leaves out `imports`, whose keys need not be names of files.
    const text = JSON.stringify({ exports, main, types, typesVersions })
    const files = text.match(/(?<=")\.\/[^"]+\.[^"]+(?="[^:])/g)
    expect(files).toContain(main)
    expect(files?.filter((file) => !contents.includes(file.slice(2)) && file !== './package.json')).toEqual([])
  })

  it('names its source and the place to report faults', () => {
    expect(new URL(manifest.repository.url).protocol).toBe('git+https:')
    expect(new URL(manifest.bugs.url).protocol).toBe('https:')
  })

  it('has a lock file that names no registry', () => {
    const lock = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')
    expect(lock).not.toContain('"resolved"')
  })
})
