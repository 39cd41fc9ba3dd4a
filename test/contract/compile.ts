import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Compilation {
  /** Messages of the compiler by file, in order. */
  readonly errors: Readonly<Record<string, readonly string[]>>
  /** Number of types that the compiler created. */
  readonly instantiations: number
}

/** Compiles snippets under the project's rules. `contract` is the contract's module. */
export function compile(snippets: Readonly<Record<string, string>>): Compilation {
  const folder = mkdtempSync(join(tmpdir(), 'payctl-types-'))
  try {
    for (const [name, text] of Object.entries(snippets)) {
      writeFileSync(join(folder, `${name}.mts`), text.replace("'contract'", `'${join(root, 'src/contract/index.ts')}'`))
    }
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: { types: [], rewriteRelativeImportExtensions: false },
      include: [folder],
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = spawnSync(
      join(root, 'node_modules/.bin/tsc'),
      ['-p', folder, '--pretty', 'false', '--noErrorTruncation', '--extendedDiagnostics'],
      { encoding: 'utf8' },
    )
    return {
      errors: Object.fromEntries(Object.keys(snippets).map((name) => [name, errorsOf(tsc.stdout, name)])),
      instantiations: Number(/Instantiations:\s*(\d+)/.exec(tsc.stdout)?.[1]),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const errorsOf = (output: string, name: string): string[] =>
  [...output.matchAll(new RegExp(`${name}\\.mts\\(\\d+,\\d+\\): error (.*)`, 'g'))].map(([, message]) => message ?? '')
