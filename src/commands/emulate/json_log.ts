import type { AnsweredRequest, WorldChange } from '../../../emulator/index.ts'
import { redactText } from '../../client/trace.ts'
import { printable } from '../../run/sanitise.ts'
import type { EmulatorLog } from './log.ts'

/** Writes a JSON object for each event: requests, changes of worlds, notices and faults. */
export function jsonLog(write: (line: string) => void, secrets: readonly string[]): EmulatorLog {
  const line = (level: 'info' | 'warn' | 'error', event: string, facts: object) =>
    write(JSON.stringify({ time: new Date().toISOString(), level, event, ...facts }))
  return {
    callbacks: {
      onFault: (error) => line('error', 'fault', { message: redactText(printable(String(error)), secrets) }),
      onNotice: (message) => line('warn', 'notice', { message: redactText(message, secrets) }),
      onRequest: (request) => line(levelOf(request), 'request', factsOf(request, secrets)),
      onWorld: ({ change, world, worldId }: WorldChange) =>
        line('info', `world_${change}`, { world, world_id: worldId }),
    },
    isJson: true,
    event: (name, facts) => line('info', name, facts),
  }
}

const levelOf = ({ status }: AnsweredRequest) => (status !== null && status >= 500 ? 'error' : 'info')

/** Maximum characters of a value that a client chooses. */
const longest = 1000

function factsOf(request: AnsweredRequest, secrets: readonly string[]) {
  const { method, path, endpoint, status, durationMs, world, worldId, team, id, givenId } = request
  const clean = (text: string) => redactText(printable(text), secrets).slice(0, longest)
  return {
    method,
    path: clean(path),
    status,
    duration_ms: durationMs,
    endpoint,
    world: clean(world),
    world_id: worldId,
    team: team || null,
    request: id,
    request_id: givenId === null ? null : clean(givenId),
  }
}
