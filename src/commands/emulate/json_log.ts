import type { AnsweredRequest, WorldChange } from '../../../emulator/index.ts'
import type { Clean, EmulatorLog } from './log.ts'

/** Writes a JSON object for each event: requests, changes of worlds, notices and faults. */
export function jsonLog(write: (line: string) => void, clean: Clean): EmulatorLog {
  const line = (level: 'info' | 'warn' | 'error', event: string, facts: object) =>
    write(JSON.stringify({ time: new Date().toISOString(), level, event, ...facts }))
  return {
    callbacks: {
      onFault: (error) => line('error', 'fault', { message: clean(String(error)) }),
      onNotice: (message) => line('warn', 'notice', { message: clean(message) }),
      onRequest: (request) => line(levelOf(request), 'request', factsOf(request, clean)),
      onWorld: ({ change, world, worldId }: WorldChange) =>
        line('info', `world_${change}`, { world, world_id: worldId }),
    },
    isJson: true,
    event: (name, facts) => line('info', name, facts),
  }
}

const levelOf = ({ status }: AnsweredRequest) => (status !== null && status >= 500 ? 'error' : 'info')

/** Maximum length, in characters, of a value that a client chooses. */
const longest = 1000

function factsOf(request: AnsweredRequest, clean: Clean) {
  const { method, path, endpoint, status, durationMs, world, worldId, team, id, givenId } = request
  const short = (text: string) => clean(text).slice(0, longest)
  return {
    method,
    path: short(path),
    status,
    duration_ms: durationMs,
    endpoint,
    world: short(world),
    world_id: worldId,
    team: team || null,
    request: id,
    request_id: givenId === null ? null : short(givenId),
  }
}
