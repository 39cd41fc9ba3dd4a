import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { execPath, pid } from 'node:process'
import type { Context } from '../../cli/command.ts'
import { argumentsWithout } from '../../cli/global_options.ts'
import { optionsOf } from '../../cli/register.ts'
import { makeEmulatorsFolder } from '../../config/running_emulators.ts'
import { payctlProgram } from '../../run/processes.ts'
import { type Handover, handoverVariable, type Started } from './launched.ts'
import { flags } from './options.ts'

interface DetachOptions {
  /** Secrets that replace flags of the command line, because every user can read a command line. */
  readonly secretOptions: object
  readonly secretFlags: readonly string[]
}

/**
 * Starts this command line again as a process in a separate session. Resolves when the process answers, or with its
 * exit code if it ends first. Until then, prints the output of the process.
 */
export async function startDetached(context: Context, options: DetachOptions): Promise<Started | number> {
  const { stateDir, signal, env, io, argv } = context
  const folder = makeEmulatorsFolder(stateDir)
  const log = join(folder, `${pid}.starting.log`)
  rmSync(log, { force: true })
  const file = openSync(log, 'ax', 0o600)
  const handover: Handover<object> = { log, options: options.secretOptions }
  const given = argumentsWithout(options.secretFlags, { argv, options: optionsOf(flags) })
  const child = spawn(execPath, [payctlProgram, ...given], {
    detached: true,
    stdio: ['ignore', file, file, 'ipc'],
    env: { ...env, [handoverVariable]: JSON.stringify(handover) },
    windowsHide: true,
  })
  closeSync(file)
  const stop = () => void child.kill('SIGTERM')
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const started = once(child, 'message').then(([answer]) => answer as Started)
  const ended = once(child, 'exit').then(
    ([code, killedBy]): number => code ?? 128 + constants.signals[killedBy as 'SIGKILL'],
  )
  const answer = await Promise.race([started, ended])
  signal.removeEventListener('abort', stop)
  if (typeof answer === 'object' && !signal.aborted) {
    io.stderr.write(readFileSync(answer.log))
    child.disconnect()
    child.unref()
    return answer
  }
  const code = await ended
  // If the process had answered before this run was cancelled, the process has removed its log.
  if (existsSync(log)) io.stderr.write(readFileSync(log))
  rmSync(log, { force: true })
  signal.throwIfAborted()
  return code
}
