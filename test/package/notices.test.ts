import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bundledPackages } from '../../.build/bundled.ts'
import { notices } from '../../.build/notices.ts'

/** A file of an installed package, which a bundle could contain. */
function installed(name: string, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-notices-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const place = join(folder, 'node_modules', name)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true })
    writeFileSync(join(place, path), text)
  }
  return join(place, 'index.js')
}

const manifest = (name: string, more: object = { license: 'MIT' }): string =>
  JSON.stringify({ name, version: '1.2.3', ...more })

describe('the build fails', () => {
  it('on a bundled package without the text of its licence, and says where it belongs', () => {
    const file = installed('bare', { 'package.json': manifest('bare'), 'index.js': '' })
    expect(() => notices(bundledPackages([file]))).toThrow(
      'bare@1.2.3 has no text of its licence (MIT): find it, as .build/licences/bare.txt',
    )
  })

  it('on one without a licence', () => {
    const file = installed('free', { 'package.json': manifest('free', {}), 'index.js': '', LICENSE: 'Do as you like.' })
    expect(() => bundledPackages([file])).toThrow('names no licence')
  })

  it('when code of others within a package is not the one that was looked at', () => {
    const file = installed('undici', {
      'package.json': manifest('undici'),
      'index.js': '',
      LICENSE: 'Permission is hereby granted',
      'lib/llhttp/llhttp-wasm.js': 'newer',
    })
    expect(() => notices(bundledPackages([file]))).toThrow(/^undici\/lib\/llhttp\/llhttp-wasm\.js has changed/)
  })

  it('when it keeps the text of a licence for nothing', () => {
    expect(() => notices([])).toThrow(/of packages that are not bundled: jq\.wasm\.txt/)
  })
})
