import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { spawn } from '@lydell/node-pty'
import { execa } from 'execa'
import { onTestFinished, vi } from 'vitest'
import { payctlFile } from '../../support/program.ts'

type Shell = 'bash' | 'zsh' | 'fish'

/** The shells of this machine: all machines have bash, because payctl's own scripts need it. */
export const shells: readonly Shell[] = (['bash', 'zsh', 'fish'] as const).filter((shell) => {
  try {
    execFileSync(shell, ['-c', 'exit 0'])
    return true
  } catch {
    return false
  }
})

/** `load` also sets the prompt to `ready>`. */
const start: Readonly<Record<Shell, { readonly flags: readonly string[]; readonly load: string }>> = {
  bash: { flags: ['--noprofile', '--norc', '-i'], load: 'eval "$(payctl completion bash)"; PS1="ready> "' },
  zsh: {
    flags: ['-f', '-i'],
    load: 'autoload -Uz compinit; compinit -u -D; source <(payctl completion zsh); PS1="ready> "',
  },
  fish: {
    flags: ['--no-config', '-i'],
    load: 'payctl completion fish | source; function fish_prompt; echo -n "ready> "; end',
  },
}

/** A folder whose `bin` has payctl, and an environment whose PATH begins with this `bin`. */
export function installed(variables: Readonly<Record<string, string>>) {
  const home = mkdtempSync(join(tmpdir(), 'payctl-shell-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const [bin, work] = [join(home, 'bin'), join(home, 'work')]
  mkdirSync(bin)
  mkdirSync(work)
  symlinkSync(payctlFile, join(bin, 'payctl'))
  symlinkSync(process.execPath, join(bin, 'node'))
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
    LANG: 'C.UTF-8',
    TERM: 'xterm',
    PAYCTL_STATE_DIR: join(home, 'state'),
    PAYCTL_CONFIG_DIR: join(home, 'config'),
    ...variables,
  }
  return { env, work, files: () => readdirSync(work) }
}

type Installed = ReturnType<typeof installed>

/** Output of `payctl completion bash`, which is the same for each test. */
let bashScript: Promise<string> | undefined

/** Words with which bash would replace the last word, if the user pressed Tab at the end of `line`. */
export async function replies(line: string, { env, work }: Installed, prelude = ''): Promise<readonly string[]> {
  const script = `
    ${prelude}
    eval "$SCRIPT"
    COMP_LINE=$1 COMP_POINT=\${#1}
    _payctl && printf '%s\\0' "\${COMPREPLY[@]}"`
  bashScript ??= execa('payctl', ['completion', 'bash'], { env, extendEnv: false }).then(({ stdout }) => stdout)
  const { stdout } = await execa('bash', ['--norc', '-c', script, 'bash', line], {
    env: { ...env, SCRIPT: await bashScript },
    extendEnv: false,
    cwd: work,
  })
  return stdout.split('\0').filter((reply) => reply !== '')
}

/** A shell in a terminal, with completion loaded. */
export async function openShell(shell: Shell, { env, work }: Installed) {
  const { flags, load } = start[shell]
  const terminal = spawn(shell, [...flags], { env, cwd: work, cols: 200, rows: 40 })
  onTestFinished(() => terminal.kill('SIGKILL'))
  let written = ''
  let seen = 0
  terminal.onData((text) => {
    written += text
    // fish asks for the type of its terminal, and waits for the answer.
    if (text.includes('\u001b[c') || text.includes('\u001b[0c')) terminal.write('\u001b[?62;22c')
  })
  /** Resolves with the output since the last call, once this output matches `pattern`. */
  const shown = async (pattern: RegExp): Promise<string> => {
    const text = await vi.waitFor(() => {
      const unseen = stripVTControlCharacters(written.slice(seen))
      if (!pattern.test(unseen)) throw new Error(`${pattern} is not in ${JSON.stringify(unseen)}`)
      return unseen
    }, 15_000)
    seen = written.length
    return text
  }
  /** Also waits for the prompt: before the prompt, the terminal echoes typed keys, and a Tab completes nothing. */
  const run = async (command: string): Promise<string> => {
    terminal.write(
      `${command}; echo end-$((1 + 1))`.replace('$((1 + 1))', shell === 'fish' ? '(math 1 + 1)' : '$((1 + 1))'),
    )
    terminal.write('\r')
    return shown(/end-2[\s\S]*ready> /)
  }
  await run(load)
  return { type: (keys: string) => terminal.write(keys), shown, run }
}
