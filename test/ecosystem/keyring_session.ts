import { execa } from 'execa'
import { onTestFinished } from 'vitest'

/** Runs the daemon until stdin closes. Prints the address of the bus as soon as the daemon is connected to the bus. */
const script = (unlock: string) => `
  gnome-keyring-daemon --foreground --components=secrets ${unlock} >&2 &
  daemon=$!
  until dbus-send --session --print-reply --dest=org.freedesktop.DBus / \
    org.freedesktop.DBus.GetNameOwner string:org.freedesktop.secrets >/dev/null 2>&1; do sleep 0.05; done
  echo "$DBUS_SESSION_BUS_ADDRESS"
  cat
  kill $daemon`

/**
 * A user's session with a bus and gnome-keyring, whose files are in `home`. The session ends no later than the test.
 */
export async function startSession(home: string, { locked = false } = {}) {
  const unlock = locked ? '</dev/null' : "--unlock <<< 'password of the keyring'"
  const session = execa('dbus-run-session', ['--', 'bash', '-c', script(unlock)], {
    env: { PATH: process.env.PATH ?? '', HOME: home, XDG_RUNTIME_DIR: home },
    extendEnv: false,
    reject: false,
    forceKillAfterDelay: 5000,
  })
  const end = async () => {
    session.stdin.end()
    await session
  }
  onTestFinished(end)
  const lines = session.iterable()
  const { value: address } = await lines.next()
  return { env: { DBUS_SESSION_BUS_ADDRESS: String(address) }, end }
}
