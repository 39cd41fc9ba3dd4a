import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

// `npm run test:installed -- <path of payctl> [arguments of Vitest]`: runs the tests of the built program against an
// installed payctl, such as the single file.

const [path, ...args] = process.argv.slice(2)
if (path === undefined || path.startsWith('-')) {
  console.error('Usage: npm run test:installed -- <path of payctl> [arguments of Vitest]')
  process.exit(2)
}
const program = resolve(path)
if (!statSync(program, { throwIfNoEntry: false })?.isFile()) {
  console.error(`${path} is not a file.`)
  process.exit(2)
}
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
const command = [vitest, 'run', '--config', 'test/vitest.installed.config.ts', ...args]
spawn(process.execPath, command, { stdio: 'inherit', env: { ...process.env, PAYCTL_TESTS_PROGRAM: program } }).on(
  'exit',
  (code, signal) => {
    process.exitCode = signal ? 1 : (code ?? 1)
  },
)
